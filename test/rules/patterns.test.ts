import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pattern } from "../../src/rules/pattern.ts";
import { load, oneRule } from "./marked.ts";

/** The pattern as it compiles, without its words. */
function compiled(text: string): Partial<Pattern> {
  const { program } = oneRule(`{kind: absence, of: ${text}}`);
  assert.equal(program.kernel, "count");
  return program.kernel === "count" ? program.of : {};
}

const tools = new Set(["tool_call", "retrieval"]);
const equals = (value: string | number | boolean) => ({ op: "equals", value });

describe("patterns", () => {
  const rows: readonly { name: string; of: string; is: Partial<Pattern> }[] = [
    {
      name: "a bare name is a tool's",
      of: "refund",
      is: { kinds: tools, name: { op: "equals", value: "refund" } },
    },
    {
      name: "final_answer is a kind",
      of: "final_answer",
      is: { kinds: new Set(["final_answer"]), name: null },
    },
    { name: "a star is everything", of: "'*'", is: { kinds: null, name: null } },
    { name: "a bare glob", of: "get_*", is: { kinds: tools, name: { op: "glob", glob: "get_*" } } },
    {
      name: "a regular expression",
      of: "/^get_/",
      is: { kinds: tools, name: { op: "matches", pattern: "^get_" } },
    },
    { name: "tool", of: "{tool: refund}", is: { kinds: tools, name: { op: "equals", value: "refund" } } },
    {
      name: "name is another word for tool",
      of: "{name: refund}",
      is: { kinds: tools, name: { op: "equals", value: "refund" } },
    },
    {
      name: "a dot in a name is part of it",
      of: "{tool: billing.refund}",
      is: { kinds: tools, name: { op: "equals", value: "billing.refund" } },
    },
    {
      name: "a name that looks like a number stays text",
      of: "{tool: 007}",
      is: { kinds: tools, name: { op: "equals", value: "007" } },
    },
    {
      name: "several tools",
      of: "{tool: [a, b_*]}",
      is: {
        kinds: tools,
        name: {
          op: "one_of",
          tests: [
            { op: "equals", value: "a" },
            { op: "glob", glob: "b_*" },
          ],
        },
      },
    },
    { name: "any tool", of: "{tool: '*'}", is: { kinds: tools, name: null } },
    {
      name: "a kind with a name",
      of: "{kind: phase, tool: intake}",
      is: { kinds: new Set(["phase"]), name: { op: "equals", value: "intake" } },
    },
    {
      name: "several kinds",
      of: "{kind: [effect_lookup, effect_observed]}",
      is: { kinds: new Set(["effect_lookup", "effect_observed"]), name: null },
    },
    {
      name: "no kind and no name is any kind",
      of: "{span_name: guard}",
      is: {
        kinds: null,
        name: null,
        tests: [{ path: ["span_name"], test: { op: "equals", value: "guard" } }],
      },
    },
    {
      name: "a result that is text",
      of: "{tool: a, result: approved}",
      is: { tests: [{ path: ["result"], test: { op: "equals", value: "approved" } }] },
    },
    {
      name: "a dotted key",
      of: "{tool: a, result.status: approved}",
      is: { tests: [{ path: ["result", "status"], test: { op: "equals", value: "approved" } }] },
    },
    {
      name: "a map is these fields",
      of: "{tool: a, args: {amount: {gt: 100}, user: {tier: gold}}}",
      is: {
        tests: [
          { path: ["args", "amount"], test: { op: "gt", value: 100 } },
          { path: ["args", "user", "tier"], test: { op: "equals", value: "gold" } },
        ],
      },
    },
    {
      name: "a list is any of them, fields too",
      of: "{tool: a, result: [ok, {status: ok}]}",
      is: {
        tests: [
          {
            path: ["result"],
            test: {
              op: "one_of",
              tests: [
                { op: "equals", value: "ok" },
                { op: "fields", fields: [{ path: ["status"], test: { op: "equals", value: "ok" } }] },
              ],
            },
          },
        ],
      },
    },
    {
      name: "several operators",
      of: "{tool: a, args.x: {ge: 1, lt: 5}}",
      is: {
        tests: [
          {
            path: ["args", "x"],
            test: {
              op: "all",
              tests: [
                { op: "ge", value: 1 },
                { op: "lt", value: 5 },
              ],
            },
          },
        ],
      },
    },
    {
      name: "exists",
      of: "{tool: a, args.x: {exists: false}}",
      is: { tests: [{ path: ["args", "x"], test: { op: "exists", wanted: false } }] },
    },
    {
      name: "matches",
      of: "{tool: a, args.x: {matches: '^(a+)+$'}}",
      is: { tests: [{ path: ["args", "x"], test: { op: "matches", pattern: "^(a+)+$" } }] },
    },
    {
      name: "an attribute",
      of: "{tool: a, attr.guardrail.triggered: false}",
      is: { tests: [{ path: ["attr", "guardrail", "triggered"], test: { op: "equals", value: false } }] },
    },
    {
      name: "attributes as a map",
      of: "{tool: a, attr: {guardrail.triggered: false}}",
      is: { tests: [{ path: ["attr", "guardrail", "triggered"], test: { op: "equals", value: false } }] },
    },
    {
      name: "absent",
      of: "{tool: a, absent: [args.x, args.y]}",
      is: {
        absent: [
          ["args", "x"],
          ["args", "y"],
        ],
      },
    },
    { name: "a boundary", of: "{tool: a, boundary: started_at}", is: { boundary: "started_at" } },
    {
      name: "a field of the event",
      of: "{kind: applied, where: [e.base_version != e.state_version]}",
      is: { kinds: new Set(["applied"]) },
    },
    {
      name: "an agent by glob",
      of: "{tool: a, agent: support-*}",
      is: { tests: [{ path: ["agent"], test: { op: "glob", glob: "support-*" } }] },
    },
    {
      name: "an argument is never a glob",
      of: "{tool: a, args.q: 'a*'}",
      is: { tests: [{ path: ["args", "q"], test: { op: "equals", value: "a*" } }] },
    },
  ];
  for (const { name, of, is } of rows) {
    it(name, () => {
      const pattern = compiled(of);
      for (const [key, value] of Object.entries(is)) assert.deepEqual(pattern[key as keyof Pattern], value);
    });
  }

  const statuses: readonly (readonly [string, string])[] = [
    ["denied", "refused"],
    ["succeeded", "success"],
    ["failed", "error"],
    ["abandoned", "cancelled"],
    ["timed_out", "timeout"],
    ["awaiting_input", "awaiting"],
    ["unknown_end", "unknown"],
    ["success", "success"],
  ];
  for (const [word, status] of statuses) {
    it(`status ${word} is ${status}`, () => {
      assert.deepEqual(compiled(`{tool: a, status: ${word}}`).tests, [
        { path: ["status"], test: equals(status) },
      ]);
    });
  }

  it("translates statuses inside operators and lists too", () => {
    assert.deepEqual(compiled("{tool: a, status: {ne: denied}}").tests, [
      { path: ["status"], test: { op: "ne", value: "refused" } },
    ]);
    assert.deepEqual(compiled("{tool: a, status: [failed, denied]}").tests, [
      { path: ["status"], test: { op: "one_of", tests: [equals("error"), equals("refused")] } },
    ]);
  });

  it("names a status only where it says which", () => {
    const rowsOfStatus: readonly (readonly [string, boolean])[] = [
      ["{tool: a, status: awaiting}", true],
      ["{tool: a, status: [success, awaiting]}", true],
      ["{any_of: [{tool: a, status: requested}, b]}", true],
      ["{tool: a, status: {ne: error}}", false],
      ["{tool: a, not: {status: error}}", false],
      ["a", false],
    ];
    for (const [of, names] of rowsOfStatus) assert.equal(compiled(of).namesStatus, names, of);
  });

  it("says itself in words", () => {
    const words: readonly (readonly [string, string])[] = [
      ["refund", "refund"],
      ["{tool: check, result: approved}", "check (result: approved)"],
      ["{tool: [a, b]}", "a or b"],
      ["{kind: phase, tool: intake}", "phase intake"],
      ["{kind: final_answer}", "final_answer"],
      ["{any_of: [a, b]}", "a or b"],
      ["{span_name: guard}", "any event (span_name: guard)"],
    ];
    for (const [of, text] of words) assert.equal(compiled(of).text, text);
  });
});

describe("define", () => {
  it("names patterns and bind lists", () => {
    const file = `
contract: test
define:
  approved: {tool: check, result: approved}
  either: {any_of: [$approved, override]}
  same: [args.user_id, {a: args.plan, w: result.plan}]
rules:
  - {kind: gate, require: $either, before: read, bind: $same}
  - {kind: gate, require: {any_of: [{tool: check, result: approved}, override]}, before: read, bind: [args.user_id, {a: args.plan, w: result.plan}]}
`;
    const [named, written] = load(file).set?.contracts[0]?.rules ?? [];
    assert.ok(named !== undefined && written !== undefined);
    assert.deepEqual(named.program, written.program);
  });
});

describe("declared words", () => {
  const of = "contract: test\nrules:\n  - {kind: absence, of: {kind: ticket_opened, args_hash: X}}\n";

  it("are unknown without a declaration", () => assert.equal(load(of).set, null));

  it("come from mappings and case files", () => {
    assert.notEqual(load(of, { declaredKinds: ["ticket_opened"], declaredFields: ["args_hash"] }).set, null);
  });

  it("come from the contract, and from any other that is loaded with it", () => {
    const { set } = load(`kinds: [ticket_opened]\nfields: [args_hash]\n${of}`);
    assert.ok(set?.declaredKinds.has("ticket_opened") && set.declaredFields.has("args_hash"));
  });
});
