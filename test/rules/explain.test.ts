import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { type Code, codes } from "../../src/model/verdict.ts";
import { explainRule } from "../../src/rules/explain.ts";
import { ruleKinds } from "../../src/rules/sugar/kinds.ts";
import { load, oneRule } from "./marked.ts";
import { ruleSamples } from "./rule-samples.ts";

const explained = (rule: string) => explainRule(oneRule(rule));
const form = (rule: string) => explained(rule).decided[0];

describe("when a form can be decided", () => {
  const at = {
    once: /^at once/,
    close: /scope closes/,
    seen: /^as soon as/,
    complete: /^once nothing/,
    never: /^never/,
  };
  const rows: readonly (readonly [
    rule: string,
    form: string,
    satisfied: RegExp,
    violated: RegExp,
    until: string,
  ])[] = [
    ["{kind: gate, require: a, before: b}", "some past", at.seen, at.complete, "violated, provisionally"],
    [
      "{kind: gate, require: a, before: b, within: 5m}",
      "some past with within",
      at.seen,
      at.complete,
      "violated, provisionally",
    ],
    [
      "{kind: gate, require: a, before: b, valid_until: w.result.until}",
      "some past with valid_until",
      at.seen,
      at.complete,
      "violated, provisionally",
    ],
    [
      "{kind: gate, require: a, before: b, unless_between: [c]}",
      "some past with blockers",
      at.complete,
      at.complete,
      "satisfied or violated, provisionally",
    ],
    ["{kind: response, trigger: a, expect: b}", "some future", at.seen, at.close, "pending"],
    [
      "{kind: response, trigger: a, expect: b, within: 1m}",
      "some future with within",
      at.seen,
      /^once 1m and its decision_wait/,
      "pending",
    ],
    [
      "{kind: response, trigger: a, expect: b, unless_between: [c]}",
      "some future with blockers",
      at.complete,
      /^once an event that breaks/,
      "pending, or satisfied provisionally",
    ],
    ["{kind: responded_existence, first: a, second: b}", "some any", at.seen, at.close, "pending"],
    [
      "{kind: forbid_after, after: a, forbid: b}",
      "none future",
      at.close,
      at.once,
      "satisfied, provisionally",
    ],
    [
      "{kind: forbid_after, after: a, forbid: b, unless_between: [c]}",
      "none future with blockers",
      at.close,
      at.complete,
      "violated or satisfied, provisionally",
    ],
    [
      "{kind: forbid_before, forbid: a, before: b}",
      "none past",
      at.complete,
      at.once,
      "satisfied, provisionally",
    ],
    [
      "{kind: not_responded_existence, first: a, second: b}",
      "none any",
      at.close,
      at.once,
      "satisfied, provisionally",
    ],
    ["{kind: apart, of: a}", "apart", at.close, at.once, "satisfied, provisionally"],
    [
      "{kind: count, of: a, max: 2}",
      "count max",
      at.close,
      /^at once, with number 3 of a$/,
      "satisfied, provisionally",
    ],
    ["{kind: count, of: a, min: 2}", "count min", /^at once, with number 2 of a$/, at.close, "pending"],
    ["{kind: exactly, of: a}", "count min max", at.close, /^at once, with number 2 of a, or when/, "pending"],
    ["{kind: metric_count, of: a}", "count", /only measures/, at.never, "satisfied, provisionally"],
    [
      "{kind: machine, transitions: [[s, a, t]]}",
      "machine",
      at.close,
      /^once an illegal step/,
      "satisfied, provisionally",
    ],
    [
      "{kind: machine, transitions: [[s, a, t]], on_illegal: stay}",
      "machine",
      at.close,
      at.never,
      "satisfied, provisionally",
    ],
    [
      "{kind: machine, transitions: [{from: s, on: a, to: t, needs: [args.id]}], on_illegal: stay}",
      "machine",
      at.close,
      /^once a step that lacks what it must carry is here/,
      "satisfied, provisionally",
    ],
  ];
  for (const [rule, name, satisfied, violated, meanwhile] of rows) {
    it(`${name}: ${rule}`, () => {
      const found = form(rule);
      assert.equal(found?.form, name);
      assert.match(found?.satisfied ?? "", satisfied);
      assert.match(found?.violated ?? "", violated);
      assert.equal(found?.meanwhile, meanwhile);
    });
  }

  it("says where no violation is known before the close, and only there", () => {
    const waits = [...ruleSamples].filter(([, rule]) =>
      explained(rule).decided.every(({ waitsForClose }) => waitsForClose),
    );
    assert.deepEqual(waits.map(([kind]) => kind).sort(), [
      "choice",
      "co_existence",
      "end",
      "existence",
      "responded_existence",
      "response",
    ]);
  });
});

describe("what a rule keeps", () => {
  const rows: readonly (readonly [rule: string, memory: string, bound: string])[] = [
    [
      "{kind: gate, require: a, before: b, bind: [args.id]}",
      "the earliest end of a witness, for each clock",
      "one for each different args.id in a run, until the run is forgotten",
    ],
    [
      "{kind: count, of: a, max: 2, distinct: args.id}",
      "3 different values at most",
      "one in a run, until the run is forgotten",
    ],
    [
      "{kind: count, of: a, min: 2, distinct: args.id}",
      "2 different values at most",
      "one in a run, until the run is forgotten",
    ],
    [
      "{kind: metric_count, of: a, distinct: args.id}",
      "every different value: there is no limit to them",
      "one in a run, until the run is forgotten",
    ],
    [
      "{kind: count, of: a, max: 2, window: 10m, scope: conversation}",
      "what was counted in the last 10m",
      "one in a conversation, until the conversation is forgotten",
    ],
  ];
  for (const [rule, memory, bound] of rows) {
    it(rule, () => {
      assert.equal(form(rule)?.memory, memory);
      assert.equal(explained(rule).bound, bound);
    });
  }
});

describe("a scope that never closes", () => {
  const gate = explained(
    "{kind: gate, require: {tool: a, status: success}, before: b, within: 5m, scope: {key: args.account}}",
  );
  const count = explained("{kind: count, of: a, max: 2, window: 1h, scope: all}");

  it("decides nothing by its end", () => {
    assert.doesNotMatch(JSON.stringify([gate, count]), /scope close/);
    assert.equal(count.decided[0]?.satisfied, "never for good, since the scope does not close");
    assert.match(gate.finality.join(" "), /never satisfied for good: its scope does not close/);
  });

  it("says what it is judged over, keeps for and reads", () => {
    assert.match(
      gate.asks.join(" "),
      /over all events of one args\.account.*A value of args\.account without b/,
    );
    assert.match(count.asks.join(" "), /over everything that is seen/);
    assert.equal(gate.bound, "one in a value of args.account, until nothing can match it any more");
    assert.deepEqual(gate.reads.kept, ["args.account"]);
  });
});

describe("what a rule reads", () => {
  it("names kinds, names, fields and what must be kept", () => {
    const { reads } = explained(
      "{kind: gate, require: {tool: a, result.status: ok}, before: {kind: decision}, bind: [user, {a: seq, w: attr.app.seq}]}",
    );
    assert.deepEqual(reads, {
      kinds: ["decision", "retrieval", "tool_call"],
      names: ["a"],
      fields: ["name", "seq", "user"],
      kept: ["attr.app.seq", "result.status"],
    });
  });

  it("says that every kind may matter", () => {
    assert.equal(explained("{kind: absence, of: {service: x}}").reads.kinds, null);
  });
});

describe("what a rule asks", () => {
  const says = (rule: string): string => explained(rule).asks.join(" ");
  const rows: readonly (readonly [rule: string, says: RegExp])[] = [
    [
      "{kind: gate, require: a, before: b}",
      /^a before b\. Judged within each run\. A run without b is not judged\.$/,
    ],
    ["{kind: gate, require: a, before: b, must_apply: true}", /that is a violation/],
    ["{kind: ordering, before: a, after: b}", /Both must happen in check and test; serve does not/],
    [
      "{kind: ordering, before: a, after: b, missing_after: violated}",
      /a run that lacks either is a violation/,
    ],
    [
      "{kind: absence, of: a, scope: conversation}",
      /over all runs of a conversation\. A conversation in which none/,
    ],
    ["{kind: count, of: a, max: 1, bind: [args.id]}", /Each args\.id is counted for itself/],
    ["{kind: absence, of: a, on_unknown: violate}", /What stays unknown counts as violated/],
    ["{kind: absence, of: a, stage: trial, class: preference}", /On trial.*A preference/],
    [
      "{kind: gate, require: a, before: b, clock: {evidence: causal, skew_ms: 20}}",
      /clocks prove nothing.*more than 20ms apart/,
    ],
  ];
  for (const [rule, wanted] of rows) it(rule, () => assert.match(says(rule), wanted));
});

describe("what a rule compiles to", () => {
  const rows = [
    [
      "{kind: finish_all, all_of: a, before: b}",
      "  besides   the witness's end not before the anchor's start",
    ],
    ["{kind: during, inner: a, outer: b}", "  besides   the anchor's end before the witness's end"],
    ["{kind: mutex, of: a, limit: 3}", "  at most   3 at a time"],
    ["{kind: gate, require: a, before: b, no_sooner: 24h}", "  no sooner 24h"],
    ["{kind: retry_bound, of: a, min_gap: 2s}", "  1 lasts 2s at least"],
    [
      "{kind: approval, of: a, from: b, covers: [{a: args.x, w: result.y}]}",
      "    same      name of the anchor and result.edited.action, else result.action, else args.action of the witness and args.x of the anchor and result.y of the witness",
    ],
  ] as const;
  for (const [rule, line] of rows) {
    it(rule, () => assert.ok(explainRule(oneRule(rule)).compiled.some((one) => one === line)));
  }
});

describe("a machine as a table", () => {
  it("lists each state with what it allows, guards included, and the last states", () => {
    assert.deepEqual(explained(ruleSamples.get("machine") ?? "").machines, [
      [
        { state: "s", allowed: "a", next: "t" },
        {
          state: "t",
          allowed: "b, if e.args.v == reg.v, with args.id, by any event (service: x), keeps v = e.result.v",
          next: "u",
        },
        { state: "u", allowed: "nothing more", next: "" },
      ],
    ]);
  });
});

describe("every kind of rule", () => {
  it("has a sample in test/rules/rule-samples.ts", () => {
    assert.deepEqual(
      [...ruleKinds.keys()].filter((kind) => !ruleSamples.has(kind)),
      [],
    );
  });
  it("is one that is judged", () => {
    for (const kind of ruleSamples.keys()) {
      assert.ok(ruleKinds.has(kind) || kind.startsWith("conditional"), kind);
    }
  });
  for (const [kind, rule] of ruleSamples) {
    it(`${kind} is explained as plain data`, () => {
      const found = explained(rule);
      assert.ok(found.asks.length >= 2 && found.compiled.length >= 2 && found.decided.length >= 1);
      assert.ok(found.codes.violated.length > 0 || kind.startsWith("metric_"));
      const text = JSON.stringify(found);
      assert.deepEqual(JSON.parse(text), found);
      assert.doesNotMatch(text, /undefined|NaN|\[object/);
    });
  }
});

/** What verdicts really carry: every code that a case expects of a rule is one that its explanation names. */
describe("codes", () => {
  interface Case {
    readonly id: string;
    readonly events: readonly Record<string, unknown>[];
    readonly rules: readonly { readonly id: string; readonly code?: string }[];
    readonly expect?: readonly { readonly rule: string; readonly verdict?: string; readonly code?: string }[];
  }
  const { cases } = parse(readFileSync("test/cases/semantics-cases.yaml", "utf8"), { maxAliasCount: -1 }) as {
    readonly cases: readonly Case[];
  };
  it("of the semantics cases are explained", () => {
    let compared = 0;
    const missing: string[] = [];
    for (const { id, events, rules, expect = [] } of cases) {
      const { set } = load(JSON.stringify({ contract: id, rules }), {
        declaredKinds: events.flatMap((event) => (typeof event.kind === "string" ? [event.kind] : [])),
        declaredFields: events.flatMap((event) => Object.keys(event)),
        plainNumbersAreMilliseconds: true,
      });
      for (const { rule: name, verdict, code } of expect) {
        const rule = set?.contracts[0]?.rules.find((candidate) => candidate.id === name);
        if (rule === undefined || verdict !== "violated" || code === undefined) continue;
        // Domain codes that the rule does not set are not part of what it gives.
        if (codes.indexOf(code as Code) >= codes.indexOf("duplicate_effect") && rule.code === null) continue;
        compared += 1;
        const known: readonly string[] = explainRule(rule).codes.violated;
        if (!known.includes(code)) missing.push(`${id} ${name}: ${code} is not in ${known.join()}`);
      }
    }
    assert.ok(compared > 30, `${compared} compared`);
    assert.deepEqual(missing, []);
  });
});
