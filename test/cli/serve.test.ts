import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { runToEnd, start } from "../support/process.ts";

const gate = (contract: string): string =>
  [
    `contract: ${contract}`,
    "rules:",
    "  - {id: auth, kind: gate, require: {tool: check_auth, status: success}, before: {tool: get_plan}, severity: critical}",
    "",
  ].join("\n");

const anyPort = [
  "--set",
  "receivers.otlp.protocols.http.endpoint=127.0.0.1:0",
  "--set",
  "exporters.prometheus.endpoint=127.0.0.1:0",
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolorder-serve-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const serve = (...args: readonly string[]) => runToEnd(["serve", ...anyPort, ...args], { cwd: folder });
const serving = (...args: readonly string[]) => start(["serve", ...anyPort, ...args], { cwd: folder });

describe("serve, when it cannot start", () => {
  it("names a configuration that is not there", async () => {
    const { code, err, out } = await serve("--config", "gone.yaml");
    assert.equal(code, 2);
    assert.match(
      err,
      /^gone\.yaml: the configuration file cannot be read: there is no such file\n {2}advice: /,
    );
    assert.equal(out, "");
  });

  it("names a configuration that cannot be read", async () => {
    mkdirSync(join(folder, "config.yaml"));
    const { code, err } = await serve("--config", "config.yaml");
    assert.equal(code, 2);
    assert.match(err, /config\.yaml: the configuration file cannot be read: it is a folder/);
  });

  it("shows an unknown key of ./otel-config.yaml with its place, a caret and what was meant", async () => {
    write("otel-config.yaml", "processors:\n  toolorder:\n    decision_wiat: 10s\n");
    const { code, err } = await serve();
    assert.equal(code, 2);
    assert.match(err, /^otel-config\.yaml:3:5: .*"decision_wiat" \[unknown-key\]$/m);
    assert.match(err, /^ {4}\| {5}\^{13}$/m);
    assert.match(err, /advice: Did you mean "decision_wait"\?/);
  });

  it("shows a wrong --set with its place", async () => {
    const { code, err } = await serve("--set", "processors.toolorder.decision_wait=soon");
    assert.equal(code, 2);
    assert.match(
      err,
      /^--set processors\.toolorder\.decision_wait=soon:1:36: .*"soon" is not a length of time/m,
    );
  });

  it("names a contract file that is not there", async () => {
    const { code, err } = await serve("--contracts", "gone.yaml");
    assert.equal(code, 2);
    assert.match(
      err,
      /^gone\.yaml:1:1: the contract file cannot be read: there is no such file \[unreadable-file\]/m,
    );
  });

  it("refuses two contracts of one name, and names both places", async () => {
    write("a.yaml", gate("access"));
    write("b.yaml", gate("access"));
    const { code, err } = await serve("--contracts", "a.yaml", "--contracts", "b.yaml");
    assert.equal(code, 2);
    assert.match(err, /b\.yaml:1:11: .*access.*a\.yaml/);
    assert.match(err, /toolorder did not start: the contracts do not load/);
  });

  it("prints every error of every contract", async () => {
    write("a.yaml", gate("first").replace("kind: gate", "kind: gaet"));
    write("b.yaml", gate("second").replace("severity: critical", "severity: dire, wen: 3"));
    const { code, err } = await serve("--contracts", ".");
    assert.equal(code, 2);
    assert.match(err, /^a\.yaml:3:\d+: .*gaet/m);
    assert.match(err, /^b\.yaml:3:\d+: .*dire/m);
    assert.match(err, /^b\.yaml:3:\d+: .*wen/m);
  });

  for (const [key, name] of [
    ["receivers.otlp.protocols.http.endpoint", "the receiver's"],
    ["exporters.prometheus.endpoint", "the operators'"],
  ] as const) {
    it(`says which port is in use, ${name}, and which key sets it`, async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen({ host: "127.0.0.1", port: 0 }, resolve));
      try {
        const { port } = taken.address() as AddressInfo;
        write("a.yaml", gate("access"));
        const { code, err } = await serve("--contracts", "a.yaml", "--set", `${key}=127.0.0.1:${port}`);
        assert.equal(code, 2);
        assert.ok(err.includes(`${key}: cannot listen on 127.0.0.1:${port}: the port is in use`), err);
      } finally {
        taken.close();
      }
    });
  }
});

describe("serve, without contracts", () => {
  for (const [what, prepare] of [
    ["a missing folder", () => undefined],
    ["an empty folder", () => mkdirSync(join(folder, "contracts"))],
  ] as const) {
    it(`starts with ${what}, is ready, and says loudly that nothing is judged`, async () => {
      prepare();
      const service = await serving("--contracts", "contracts");
      assert.ok(service.log().some(({ level, contracts }) => level === "warn" && contracts === 0));
      const ready = await fetch(String(service.serving.ready));
      assert.equal(ready.status, 200);
      const body = (await ready.json()) as { contracts: number; journal: string; warnings: string[] };
      assert.equal(body.contracts, 0);
      assert.equal(body.journal, "memory");
      assert.match(body.warnings.join(), /contracts 0/);
      const metrics = await (await fetch(String(service.serving.metrics))).text();
      assert.match(metrics, /^toolorder_contracts_loaded 0$/m);
      const { code, err } = await service.end("SIGTERM");
      assert.equal(code, 0);
      assert.match(err, /warning: .*\[no-contracts\]/);
      assert.match(err, /^warning: contracts 0: spans are taken, and none is judged/m);
    });
  }
});

describe("serve", () => {
  it("runs without a configuration, and says so", async () => {
    write("a.yaml", gate("access"));
    const bare = await serving("--contracts", "a.yaml");
    assert.equal(bare.serving.config, null);
    assert.equal(bare.serving.contracts, 1);
    const { code, err } = await bare.end("SIGINT");
    assert.equal(code, 0);
    assert.equal(err, "");
  });

  it("finds contracts relative to its configuration, not to the current folder", async () => {
    mkdirSync(join(folder, "etc"));
    write("etc/a.yaml", gate("access"));
    write(
      "etc/config.yaml",
      [
        "receivers: {otlp: {protocols: {http: {}}}}",
        "processors: {toolorder: {contracts: [./a.yaml]}}",
        "exporters: {prometheus: {}}",
        "service: {pipelines: {traces: {receivers: [otlp], processors: [toolorder], exporters: [prometheus]}}}",
        "",
      ].join("\n"),
    );
    const service = await serving("--config", "etc/config.yaml");
    assert.equal(service.serving.contracts, 1);
    assert.equal(service.serving.config, "etc/config.yaml");
    assert.equal((await service.end("SIGTERM")).code, 0);
  });

  it("names a mapping that met no span when it stops, and counts it at 0 until then", async () => {
    write("a.yaml", gate("access"));
    const mapping = "processors.toolorder.mappings=[{name: typo, when: {span: aproval}, kind: approval}]";
    const service = await serving("--contracts", "a.yaml", "--set", mapping);
    const metrics = await (await fetch(String(service.serving.metrics))).text();
    assert.match(metrics, /^toolorder_mapping_matches_total\{mapping="typo"\} 0$/m);
    const { code, out } = await service.end("SIGTERM");
    assert.equal(code, 0);
    assert.match(out, /"level":"warn".*"mapping":"typo".*met no span/);
  });
});
