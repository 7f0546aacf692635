import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultConfig } from "../../src/config/config.ts";
import { effectiveConfig } from "../../src/config/effective.ts";
import { renderProblem } from "../../src/source/caret.ts";
import { load, whole } from "./whole-file.ts";

describe("a configuration with something wrong in it", () => {
  const rows: readonly {
    name: string;
    text: string;
    at: string;
    code: string;
    says: RegExp;
    advises: RegExp;
  }[] = [
    {
      name: "a misspelt key",
      text: whole({ toolorder: "{decision_wiat: 10s}" }),
      at: "2:26",
      code: "unknown-key",
      says: /processors\.toolorder has no key "decision_wiat"/,
      advises: /Did you mean "decision_wait"\?/,
    },
    {
      name: "a misspelt section",
      text: `${whole()}\nexporter: {}`,
      at: "6:1",
      code: "unknown-key",
      says: /the file has no key "exporter"/,
      advises: /Did you mean "exporters"\?/,
    },
    {
      name: "a length of time without a unit",
      text: whole({ toolorder: "{decision_wait: 10}" }),
      at: "2:41",
      code: "wrong-type",
      says: /decision_wait: a length of time is expected/,
      advises: /10s, 1m30s or 250ms/,
    },
    {
      name: "a length of time that is none",
      text: whole({ toolorder: "{max_age: tomorrow}" }),
      at: "2:35",
      code: "bad-value",
      says: /"tomorrow" is not a length of time/,
      advises: /10s/,
    },
    {
      name: "no waiting at all",
      text: whole({ toolorder: "{idle_timeout: 0s}" }),
      at: "2:40",
      code: "bad-value",
      says: /may not be zero/,
      advises: /at least 1ns/,
    },
    {
      name: "a size in an unknown unit",
      text: whole({ http: "{max_request_body_size: 64Mio}" }),
      at: "1:62",
      code: "bad-value",
      says: /"64Mio" is not a size/,
      advises: /64MiB/,
    },
    {
      name: "an address that would listen everywhere unsaid",
      text: whole({ http: '{endpoint: ":4318"}' }),
      at: "1:49",
      code: "bad-value",
      says: /":4318" is not an address/,
      advises: /0\.0\.0\.0:4318 for every interface/,
    },
    {
      name: "a port beyond 65535",
      text: whole({ http: "{endpoint: localhost:70000}" }),
      at: "1:49",
      code: "bad-value",
      says: /not an address/,
      advises: /0 to 65535/,
    },
    {
      name: "a relative traces path",
      text: whole({ http: "{traces_url_path: v1/traces}" }),
      at: "1:56",
      code: "bad-value",
      says: /this is not a path/,
      advises: /Begin it with \//,
    },
    {
      name: "gRPC, which comes later",
      text: whole().replace("http: {}", "http: {}, grpc: {endpoint: 127.0.0.1:4317}"),
      at: "1:42",
      code: "not-in-this-version",
      says: /OTLP over gRPC is not in this version/,
      advises: /Remove the key/,
    },
    {
      name: "a journal on disk, which comes later",
      text: whole({ journal: "{path: ./data}" }),
      at: "4:24",
      code: "not-in-this-version",
      says: /a journal on disk/,
      advises: /Remove the key/,
    },
    {
      name: "a journal of another kind",
      text: whole({ journal: "{mode: sqlite}" }),
      at: "4:30",
      code: "bad-value",
      says: /the only journal of this version is in memory/,
      advises: /mode: memory/,
    },
    {
      name: "the page, which comes later",
      text: whole().replace("journal: {}}", "journal: {}, api: {endpoint: 127.0.0.1:9465}}"),
      at: "4:27",
      code: "not-in-this-version",
      says: /the page and its API/,
      advises: /Remove the key/,
    },
    {
      name: "a clock rule that does not exist",
      text: whole({ toolorder: "{clock: {tie: after}}" }),
      at: "2:39",
      code: "bad-value",
      says: /clock\.tie/,
      advises: /Write before or unknown/,
    },
    {
      name: "a negative skew",
      text: whole({ toolorder: "{clock: {skew_ms: -1}}" }),
      at: "2:43",
      code: "bad-value",
      says: /skew is below 0/,
      advises: /at least 0, or none/,
    },
    {
      name: "text where a map belongs",
      text: whole({ toolorder: "{limits: many}" }),
      at: "2:34",
      code: "wrong-type",
      says: /limits: a map of keys is expected/,
      advises: /otel-config\.yaml/,
    },
    {
      name: "half a run",
      text: whole({ toolorder: "{limits: {open_runs: 0.5}}" }),
      at: "2:46",
      code: "wrong-type",
      says: /a whole number is expected/,
      advises: /at least 1/,
    },
    {
      name: "a mapping that matches everything",
      text: whole({ toolorder: "{mappings: [{when: {}, kind: approval}]}" }),
      at: "2:44",
      code: "bad-value",
      says: /would match every span/,
      advises: /Name a span, a scope or attributes/,
    },
    {
      name: "a mapping without a kind",
      text: whole({ toolorder: "{mappings: [{when: {span: x}}]}" }),
      at: "2:37",
      code: "missing-key",
      says: /mappings\.0 lacks the key "kind"/,
      advises: /Add processors\.toolorder\.mappings\.0\.kind/,
    },
    {
      name: "a pipeline with a part that is not configured",
      text: whole({
        rest: "service: {pipelines: {traces: {receivers: [zipkin], processors: [toolorder], exporters: [prometheus]}}}",
      }),
      at: "5:44",
      code: "bad-value",
      says: /no receiver named "zipkin" is configured/,
      advises: /Use otlp/,
    },
    {
      name: "a pipeline that goes nowhere",
      text: whole({
        rest: "service: {pipelines: {traces: {receivers: [otlp], processors: [toolorder], exporters: []}}}",
      }),
      at: "5:87",
      code: "bad-value",
      says: /the pipeline has no exporters/,
      advises: /Name at least one/,
    },
    {
      name: "no service",
      text: whole({ rest: "" }),
      at: "1:1",
      code: "missing-key",
      says: /the file lacks the key "service"/,
      advises: /Add service/,
    },
    {
      name: "a key twice",
      text: whole({ toolorder: "{max_age: 1h, max_age: 2h}" }),
      at: "2:39",
      code: "duplicate-key",
      says: /stands twice/,
      advises: /Keep one/,
    },
    {
      name: "no YAML",
      text: "receivers: [",
      at: "1:13",
      code: "yaml-syntax",
      says: /./,
      advises: /./,
    },
    {
      name: "nothing",
      text: "# empty\n",
      at: "1:1",
      code: "empty-file",
      says: /empty/,
      advises: /Begin with/,
    },
  ];

  for (const { name, text, at, code, says, advises } of rows) {
    it(`${name}: ${code} at ${at}`, () => {
      const { config, problems } = load(text);
      assert.equal(config, null);
      const found = problems.find((problem) => problem.code === code);
      assert.ok(found, `found instead: ${problems.map((one) => `${one.code} ${one.message}`).join("; ")}`);
      assert.equal(`${found.range.line}:${found.range.column}`, at);
      assert.match(found.message, says);
      assert.match(found.advice, advises);
      assert.equal(found.file, "otel-config.yaml");
    });
  }

  it("is told all at once, in the order of the file", () => {
    const { problems } = load(whole({ http: "{x: 1}", toolorder: "{y: 1, max_age: 3}", journal: "{z: 1}" }));
    assert.deepEqual(
      problems.map(({ code, range }) => `${range.line} ${code}`),
      ["1 unknown-key", "2 unknown-key", "2 wrong-type", "4 unknown-key"],
    );
  });

  it("is shown with its line and a caret", () => {
    const text = whole({ toolorder: "{decision_wiat: 10s}" });
    const [problem] = load(text).problems;
    assert.ok(problem);
    const lines = renderProblem(problem, text, false).split("\n");
    assert.match(lines[0] ?? "", /^otel-config\.yaml:2:26: /);
    assert.equal(lines[1], "  2 | processors: {toolorder: {decision_wiat: 10s}}");
    assert.equal(lines[2], `    | ${" ".repeat(25)}${"^".repeat("decision_wiat".length)}`);
  });
});

describe("mappings of log records", () => {
  const mapping = (text: string): string => whole({ toolorder: `{mappings: [{kind: claim, ${text}}]}` });

  it("are told by event, body, scope and attributes, and are printed as they are read", () => {
    const { config } = load(
      mapping("on: log, when: {event: 'a.*', body: /x/, attributes: {y: 1}}, fields: {args: body.z}"),
    );
    assert.ok(config);
    const [read] = config.toolorder.core.mappings;
    assert.deepEqual([read?.on, read?.when.event, read?.when.body], ["log", "a.*", "/x/"]);
    assert.deepEqual(load(effectiveConfig(config)).config, config);
  });

  for (const { text, message, advice } of [
    { text: "on: log, when: {span: a}", message: /a log record is no span/, advice: /`event`, `body`/ },
    { text: "when: {event: a}", message: /only log records are told by `event`/, advice: /on: log/ },
    { text: "on: event, when: {body: a}", message: /only log records are told by `body`/, advice: /on: log/ },
  ]) {
    it(`refuse ${text}`, () => {
      const [problem] = load(mapping(text)).problems;
      assert.match(problem?.message ?? "", message);
      assert.match(problem?.advice ?? "", advice);
    });
  }
});

describe("the pipeline of logs", () => {
  const rest = (logs: string): string =>
    `service: {pipelines: {traces: {receivers: [otlp], processors: [toolorder], exporters: [prometheus]}${logs}}}`;

  it("left out, log records have no way in", () => {
    assert.equal(load(whole({ rest: rest("") })).config?.pipelines.logs, null);
  });

  it("names parts that are configured, as traces do", () => {
    const [problem] = load(
      whole({ rest: rest(", logs: {receivers: [oltp], processors: [toolorder], exporters: [prometheus]}") }),
    ).problems;
    assert.match(problem?.message ?? "", /no receiver named "oltp"/);
    const [empty] = load(
      whole({ rest: rest(", logs: {receivers: [otlp], processors: [], exporters: [prometheus]}") }),
    ).problems;
    assert.match(empty?.advice ?? "", /log records would go nowhere/);
  });

  it("has a path of its own", () => {
    const [problem] = load(whole({ http: "{logs_url_path: /v1/traces}" })).problems;
    assert.match(problem?.message ?? "", /spans and log records have one path/);
  });
});

describe("a configuration that is right", () => {
  it("has every default where the file says nothing", () => {
    assert.deepEqual(load(whole()).config, defaultConfig);
    assert.deepEqual(load(whole({ http: "", toolorder: "", journal: "" })).config, defaultConfig);
  });

  it("is printed as what reads back to itself", () => {
    const mapped = whole({
      toolorder:
        "{run_key: [session.id, trace_id], clock: {skew_ms: none, resolution: 1ms}, mappings: [{on: event, when: {span: 'a*', attributes: {x: true, y: 3}}, kind: approval, fields: {name: b}}]}",
    });
    for (const text of [whole(), mapped]) {
      const { config } = load(text);
      assert.ok(config);
      const printed = effectiveConfig(config);
      assert.deepEqual(load(printed).config, config);
      assert.equal(effectiveConfig(load(printed).config ?? defaultConfig), printed);
    }
  });

  it("OTLP-19: shows the limit of a request's body, by default and as set", () => {
    assert.match(effectiveConfig(defaultConfig), /^ {8}max_request_body_size: 64MiB$/m);
    const { config } = load(whole({ http: "{max_request_body_size: 20MiB}" }));
    assert.ok(config);
    assert.match(effectiveConfig(config), /^ {8}max_request_body_size: 20MiB$/m);
  });

  it("declares the kinds and fields that its mappings make", () => {
    const { config } = load(
      whole({ toolorder: "{mappings: [{when: {span: a}, kind: consent, fields: {consent_id: b}}]}" }),
    );
    assert.deepEqual(config?.toolorder.core.language.declaredKinds, ["consent"]);
    assert.deepEqual(config?.toolorder.core.language.declaredFields, ["consent_id"]);
    assert.equal(config?.toolorder.core.mappings[0]?.name, "mappings[0]");
  });
});
