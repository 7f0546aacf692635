import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minutes, seconds } from "../../src/model/time.ts";
import type { Count, Link, Machine, Program } from "../../src/rules/program.ts";
import { oneRule } from "./marked.ts";

/** `past some b←a`: need, quantifier, anchor and witness; enough to tell the templates apart. */
function shape(program: Program): string {
  switch (program.kernel) {
    case "link": {
      const blockers = program.unlessBetween.map((blocker) => `${blocker.code} ${blocker.match.text}`);
      const bounds = `${program.anchorBoundary[0]}${program.witnessBoundary[0]}`;
      return `${program.need} ${program.quant} ${program.anchor.text}:${program.witness.text} ${bounds}${blockers.length > 0 ? ` unless ${blockers.join(", ")}` : ""}`;
    }
    case "count":
      return `count ${program.of.text} ${program.min ?? ""}..${program.max ?? ""}`;
    case "machine":
      return `machine ${program.initial}`;
    case "fold":
      return program.parts.map(shape).join(" & ");
    case "guard":
      return `if ${program.if.text}: ${shape(program.then)}`;
    case "stretch":
      return `${program.after?.text ?? "start"} to ${program.before?.text ?? "end"}: ${shape(program.then)}`;
  }
}

describe("kinds of rules compile to kernels", () => {
  const rows: readonly (readonly [rule: string, shape: string])[] = [
    ["{kind: gate, require: A, before: B}", "past some B:A sf"],
    ["{kind: gate, first: A, second: B}", "past some B:A sf"],
    ["{kind: precedence, first: A, second: B}", "past some B:A sf"],
    ["{kind: precedence, require: A, before: B}", "past some B:A sf"],
    ["{kind: ordering, before: A, after: B}", "past some B:A sf"],
    [
      "{kind: gate, require: {tool: A, boundary: started_at}, before: {tool: B, boundary: finished_at}}",
      "past some B:A fs",
    ],
    ["{kind: gate, require: A, before: B, consume: once}", "past some B:A sf unless blocked B"],
    ["{kind: gate, require: A, before: B, unless_between: [C]}", "past some B:A sf unless invalidated C"],
    ["{kind: gate, require: A, before: B, unless_between: [B]}", "past some B:A sf unless blocked B"],
    ["{kind: forbid_before, forbid: A, before: B}", "past none B:A sf"],
    ["{kind: finish_all, all_of: A, before: B}", "past none B:A ss"],
    ["{kind: during, inner: A, outer: B}", "past some A:B ss"],
    ["{kind: evidence, for: B, from: A}", "past some B:A sf"],
    ["{kind: gate, require: A, before: B, revoked_by: C}", "past some B:A sf unless invalidated C"],
    [
      "{kind: gate, require: A, before: B, revalidate_after: resume}",
      "past some B:A sf unless invalidated resume",
    ],
    ["{kind: max_calls, of: A, max: 3}", "count A ..3"],
    ["{kind: rate, of: A, max: 3, window: 1m}", "count A ..3"],
    ["{kind: retry_bound, of: A, max: 3, min_gap: 1s}", "count A ..3 & machine 0"],
    ["{kind: max_in_a_row, of: A, max: 3}", "machine 0"],
    ["{kind: immutable, of: A, id: evidence_id, content: [plan_id]}", "count A ..1"],
    ["{kind: owner, of: A, by: {service: S}}", "count A not by service: S ..0"],
    [
      "{kind: owner, of: A, by: {any_of: [{service: S}, {kind: tool_call, agent: x}]}}",
      "count A not by service: S or tool_call (agent: x) ..0",
    ],
    ["{kind: gate, require: A, before: B, scope: {after: C, bind: user}}", "C to end: past some B:A sf"],
    ["{kind: gate, require: A, before: B, scope: {before: C}}", "start to C: past some B:A sf"],
    ["{kind: gate, require: A, before: B, scope: {between: [C, D]}}", "C to D: past some B:A sf"],
    ["{kind: absence, of: A, scope: {after: C, before: D}}", "C to D: count A ..0"],
    [
      "{kind: conditional, if: E, then: {kind: absence, of: A, scope: {after: C}}}",
      "if E: C to end: count A ..0",
    ],
    ["{kind: not_precedence, first: A, second: B}", "past none B:A sf"],
    ["{kind: join, all: [A, B], before: C}", "past some C:A sf & past some C:B sf"],
    ["{kind: response, trigger: A, expect: B}", "future some A:B fs"],
    ["{kind: forbid_after, after: A, forbid: B}", "future none A:B fs"],
    ["{kind: not_succession, first: A, second: B}", "future none A:B fs"],
    ["{kind: not_response, first: A, second: B}", "future none A:B fs"],
    ["{kind: responded_existence, first: A, second: B}", "any some A:B sf"],
    ["{kind: co_existence, first: A, second: B}", "any some A:B sf & any some B:A sf"],
    ["{kind: not_co_existence, first: A, second: B}", "any none A:B sf & any none B:A sf"],
    ["{kind: not_responded_existence, first: A, second: B}", "any none A:B sf"],
    ["{kind: alternate_response, first: A, second: B}", "future some A:B fs unless blocked A"],
    ["{kind: alternate_precedence, first: A, second: B}", "past some B:A sf unless blocked B"],
    [
      "{kind: alternate_precedence, first: A, second: B, revoked_by: C}",
      "past some B:A sf unless invalidated C, blocked B",
    ],
    [
      "{kind: alternate_succession, first: A, second: B}",
      "future some A:B fs unless blocked A & past some B:A sf unless blocked B",
    ],
    ["{kind: chain_response, first: A, second: B}", "future some A:B fs unless blocked any other call"],
    [
      "{kind: chain_precedence, first: A, second: B, alphabet: rule}",
      "past some B:A sf unless blocked A or B",
    ],
    [
      "{kind: chain_succession, first: A, second: B, alphabet: all}",
      "future some A:B fs unless blocked any event & past some B:A sf unless blocked any event",
    ],
    ["{kind: not_chain_succession, first: A, second: B}", "future none A:B fs unless blocked any other call"],
    ["{kind: not_chain_precedence, first: A, second: B}", "past none B:A sf unless blocked any other call"],
    ["{kind: succession, first: A, second: B}", "future some A:B fs & past some B:A sf"],
    ["{kind: existence, of: A}", "count A 1.."],
    ["{kind: existence, of: A, n: 2}", "count A 2.."],
    ["{kind: existence, of: A, min: 2}", "count A 2.."],
    ["{kind: absence, of: A}", "count A ..0"],
    ["{kind: absence, of: A, n: 3}", "count A ..2"],
    ["{kind: exactly, of: A, n: 2}", "count A 2..2"],
    ["{kind: count, of: A, min: 1, max: 4}", "count A 1..4"],
    ["{kind: metric_count, of: A}", "count A .."],
    ["{kind: init, of: A}", "count A 1.. & past some any call but A:A sf"],
    ["{kind: end, of: A}", "count A 1.. & future some any call but A:A fs"],
    ["{kind: choice, of: [A, B]}", "count A or B 1.."],
    ["{kind: exclusive_choice, of: [A, B]}", "count A or B 1.. & any none A:B sf & any none B:A sf"],
    ["{kind: apart, of: A, bind: [args.x]}", "apart some A:A sf"],
    ["{kind: mutex, of: A}", "apart some A:A sf"],
    ["{kind: link, anchor: A, need: future, quant: none, witness: B}", "future none A:B fs"],
    ["{kind: link, anchor: A, need: apart}", "apart some A:A sf"],
    ["{kind: conditional_ordering, if: C, then: {before: A, after: B}}", "if C: past some B:A sf"],
    ["{kind: conditional, if: C, then: {kind: response, trigger: A, expect: B}}", "if C: future some A:B fs"],
    ["{kind: conditional, if: C, then: {kind: ordering, before: A, after: B}}", "if C: past some B:A sf"],
  ];
  for (const [text, expected] of rows) it(text, () => assert.equal(shape(oneRule(text).program), expected));
});

function link(text: string): Link {
  const { program } = oneRule(text);
  assert.equal(program.kernel, "link");
  return program as Link;
}

describe("what a link carries", () => {
  it("reads every option", () => {
    const made = link(
      "{kind: gate, require: A, before: B, bind: [args.x, {a: if_match, w: version}], where: ['w.seq < a.seq'], within: 15m, valid_until: w.result.expires_at, unit: ms, at_least: 2, unless_between: [{match: C, where: [b.result.v != w.args.v]}]}",
    );
    assert.deepEqual(made.bind, [
      { anchor: ["args", "x"], witness: ["args", "x"] },
      { anchor: ["if_match"], witness: ["version"] },
    ]);
    assert.deepEqual(made.where, [
      {
        left: { side: "w", path: ["seq"] },
        op: "<",
        right: { side: "a", path: ["seq"] },
        text: "w.seq < a.seq",
      },
    ]);
    assert.equal(made.within, minutes(15));
    assert.deepEqual(made.validUntil, { operand: { side: "w", path: ["result", "expires_at"] }, unit: "ms" });
    assert.equal(made.atLeast, 2);
    assert.equal(made.unlessBetween[0]?.bound, false);
    assert.equal(made.unlessBetween[0]?.where[0]?.text, "b.result.v != w.args.v");
  });

  it("compares with constants", () => {
    const made = link(
      `{kind: gate, require: A, before: B, where: ["w.args.x == 'a b'", "a.args.n >= 1.5", "a.args.ok == true", 'w.args.big != 12345678901234567890']}`,
    );
    assert.deepEqual(
      made.where.map(({ right }) => ("literal" in right ? right.literal : null)),
      ["a b", 1.5, true, 12345678901234567890n],
    );
  });

  it("has a spent approval judged by the key and the comparisons of the link", () => {
    const [spent] = link(
      "{kind: gate, require: A, before: B, bind: [args.x], where: [w.seq < a.seq], consume: once}",
    ).unlessBetween;
    assert.equal(spent?.bound, true);
    assert.deepEqual(spent?.where[0]?.right, { side: "b", path: ["seq"] });
  });

  it("turns the sides round for the second of two links", () => {
    const { program } = oneRule(
      "{kind: succession, first: A, second: B, bind: [{a: args.x, w: args.y}], where: [a.seq < w.seq]}",
    );
    assert.equal(program.kernel, "fold");
    const back = (program.kernel === "fold" ? program.parts[1] : null) as Link;
    assert.deepEqual(back.bind, [{ anchor: ["args", "y"], witness: ["args", "x"] }]);
    assert.deepEqual(back.where[0]?.left, { side: "w", path: ["seq"] });
  });

  it("takes plain numbers as milliseconds in case files only", () => {
    const text = "{kind: gate, require: A, before: B, within: 60000, valid_until: w.result.expires_at}";
    const { program } = oneRule(text, { plainNumbersAreMilliseconds: true });
    assert.equal((program as Link).within, minutes(1));
    assert.equal((program as Link).validUntil?.unit, "ms");
    assert.throws(() => oneRule(text));
  });
});

describe("counts and machines", () => {
  it("counts distinct values per key in a window", () => {
    const made = oneRule(
      "{kind: count, of: A, distinct: [provider_id], bind: [user, request], window: 10m, max: 1}",
    ).program as Count;
    assert.deepEqual(made.distinct, [["provider_id"]]);
    assert.deepEqual(made.bind, [["user"], ["request"]]);
    assert.equal(made.window, minutes(10));
  });

  it("reads the long form of a transition", () => {
    const made = oneRule(
      "{kind: machine, initial: s, unlisted: violate, on_illegal: stay, final: t, max_time: {s: 10s}, transitions: [{from: s, on: A, to: t, needs: [args.x], gives: [result.y], owner: {service: enrollment}, set: {v: e.result.v}}, {from: t, on: B, to: t, when: ['e.args.v == reg.v']}]}",
    ).program as Machine;
    assert.equal(made.unlisted, "violate");
    assert.equal(made.onIllegal, "stay");
    assert.deepEqual(made.final, new Set(["t"]));
    assert.deepEqual([...made.maxTime], [["s", seconds(10)]]);
    const [first, second] = made.transitions;
    assert.deepEqual(first?.needs, [["args", "x"]]);
    assert.deepEqual(first?.gives, [["result", "y"]]);
    assert.equal(first?.owner?.tests[0]?.path[0], "service");
    assert.deepEqual(first?.set.get("v"), { side: "e", path: ["result", "v"] });
    assert.deepEqual(second?.when[0]?.right, { side: "reg", path: ["v"] });
  });

  it("starts where the first transition starts, unless told", () => {
    assert.equal((oneRule("{kind: machine, transitions: [[s, A, t]]}").program as Machine).initial, "s");
  });

  it("lets two transitions of one tool stand where they cannot both match", () => {
    const apart = [
      "[[s, {tool: A, result: x}, t], [s, {tool: A, result: y}, u]]",
      "[[s, A, t], [t, A, s]]",
      "[{from: s, on: A, to: t, when: [e.args.n > 1]}, {from: s, on: A, to: u, when: [e.args.n <= 1]}]",
      "[[s, {kind: phase, tool: A}, t], [s, A, u]]",
    ];
    for (const transitions of apart) oneRule(`{kind: machine, transitions: ${transitions}}`);
  });

  it("never means model turns by a star", () => {
    const made = oneRule("{kind: machine, transitions: [[s, final_answer, t], [t, '*', t]]}")
      .program as Machine;
    assert.deepEqual(made.transitions[1]?.on.kinds, new Set(["tool_call", "retrieval", "final_answer"]));
  });

  it("makes a chain of a sequence", () => {
    const exact = oneRule("{kind: sequence, mode: exact, steps: [A, B]}").program as Machine;
    assert.deepEqual(
      exact.transitions.map(({ from, on, to }) => [from, on.text, to]),
      [
        ["start", "A", "1 A"],
        ["1 A", "B", "2 B"],
      ],
    );
    assert.deepEqual(
      [exact.unlisted, exact.onIllegal, exact.code, exact.judgedWithoutStep],
      ["violate", "violate", "sequence_differs", true],
    );
    const inOrder = oneRule("{kind: sequence, steps: [A, B]}").program as Machine;
    assert.deepEqual([inOrder.unlisted, inOrder.onIllegal], ["ignore", "stay"]);
  });
});
