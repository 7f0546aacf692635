/**
 * Whether one pattern takes in another, against the plain truth: every event of a small world is shown to both. What
 * is said to be certain must be so for each of them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../src/model/event.ts";
import { covers, excludes } from "../../src/rules/lint-cover.ts";
import { impossible } from "../../src/rules/lint-dead.ts";
import { compilePattern } from "../../src/rules/match.ts";
import type { Pattern } from "../../src/rules/pattern.ts";
import fc from "../support/properties.ts";
import { event } from "../support/scope.ts";
import { oneRule } from "./marked.ts";

const kinds = ["tool_call", "final_answer", "model_turn"];
const names = ["a", "ab", "b"];
const statuses = ["success", "error", "requested", "awaiting"] as const;
const values = [undefined, 1, 2, 3];

/** What happens: only calls are asked for, or wait. */
const world: readonly Event[] = kinds
  .flatMap((kind) =>
    names.flatMap((name) =>
      statuses.flatMap((status) =>
        values.map((x) => event({ id: "e", kind, name, status, args: x === undefined ? {} : { x } })),
      ),
    ),
  )
  .filter(({ kind, status }) => kind === "tool_call" || status === "success" || status === "error");

function pattern(of: unknown): Pattern {
  const { program } = oneRule(JSON.stringify({ kind: "absence", of }));
  assert.equal(program.kernel, "count");
  return program.kernel === "count" ? program.of : assert.fail();
}

const met = (one: Pattern): readonly boolean[] => {
  const matches = compilePattern(one);
  return world.map((shown) => matches(shown).truth === "true");
};

const optional = <T>(key: string, ...choices: readonly T[]) =>
  fc
    .option(fc.constantFrom(...choices), { nil: undefined })
    .map((value) => (value === undefined ? {} : { [key]: value }));

const flat = fc
  .tuple(
    optional<unknown>("tool", "a", "b", "a*", "*", ["a", "b"], "/^a/"),
    optional<unknown>("kind", "tool_call", "final_answer", ["tool_call", "model_turn"]),
    optional<unknown>("status", "success", ["success", "error"], "requested", { ne: "error" }),
    optional<unknown>("args.x", 1, [1, 2], { gt: 1 }, { le: 2 }, { exists: true }, { gt: 1, lt: 3 }),
    optional("absent", ["args.x"]),
    optional("where", ["e.args.x == 1"], ["e.args.x > 1"]),
  )
  .map((parts): Record<string, unknown> => Object.assign({}, ...parts));
const full = fc
  .tuple(
    flat,
    fc.option(flat, { nil: undefined, freq: 3 }),
    fc.option(fc.array(flat, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
  )
  .map(([own, not, anyOf]) => ({
    ...own,
    ...(not !== undefined && Object.keys(not).length > 0 ? { not } : {}),
    ...(anyOf?.every((branch) => Object.keys(branch).length > 0) ? { any_of: anyOf } : {}),
  }))
  .filter((made) => Object.keys(made).length > 0);

describe("what is said of two patterns", () => {
  it("covers: whatever the narrow one matches, the wide one does", () => {
    let certain = 0;
    // Half of the narrow ones ask what the wide one asks, and more.
    const pairs = fc
      .tuple(full, full, fc.boolean())
      .map(([wide, more, related]) => [wide, related ? { ...more, ...wide } : more] as const);
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [wide, narrow] = [pattern(a), pattern(b)];
        if (!covers(wide, narrow)) return;
        certain += 1;
        const of = met(wide);
        assert.ok(met(narrow).every((yes, index) => !yes || of[index]));
      }),
      { numRuns: 400 },
    );
    assert.ok(certain > 30, `only ${certain} were certain`);
  });

  it("covers: each one takes in itself", () => {
    fc.assert(
      fc.property(full, (one) => assert.ok(covers(pattern(one), pattern(one)))),
      { numRuns: 100 },
    );
  });

  it("excludes: nothing is matched by both", () => {
    let certain = 0;
    fc.assert(
      fc.property(full, full, (a, b) => {
        const [one, other] = [pattern(a), pattern(b)];
        if (!excludes(one, other)) return;
        certain += 1;
        const of = met(other);
        assert.ok(met(one).every((yes, index) => !yes || !of[index]));
      }),
      { numRuns: 250 },
    );
    assert.ok(certain > 5, `only ${certain} were certain`);
  });

  it("impossible: nothing is matched", () => {
    let certain = 0;
    fc.assert(
      fc.property(full, (one) => {
        const made = pattern(one);
        if (impossible(made) === null) return;
        certain += 1;
        assert.ok(
          met(made).every((yes) => !yes),
          JSON.stringify(one),
        );
      }),
      { numRuns: 250 },
    );
    assert.ok(certain > 5, `only ${certain} were certain`);
  });

  const rows: readonly (readonly [wide: unknown, narrow: unknown, covers: boolean])[] = [
    ["a*", "ab", true],
    ["ab", "a*", false],
    [{ tool: ["a", "b"] }, "a", true],
    [{ tool: "a" }, { tool: "a", status: "success" }, true],
    [{ tool: "a" }, { tool: "a", status: "requested" }, false],
    [{ tool: "a", status: ["success", "error"] }, { tool: "a", status: "success" }, true],
    [{ tool: "a", "args.x": { gt: 1 } }, { tool: "a", "args.x": 2 }, true],
    [{ tool: "a", "args.x": { gt: 1 } }, { tool: "a", "args.x": [1, 2] }, false],
    [{ tool: "a", absent: ["args.x"] }, { tool: "a" }, false],
    [{ any_of: ["a", "b"] }, "a", true],
    ["a", { any_of: ["a", "b"] }, false],
    [{ tool: "*" }, { any_of: ["a", "b"] }, true],
    [{ tool: "a", not: { status: "error" } }, { tool: "a", status: "success" }, true],
    [{ tool: "a", not: { status: "error" } }, { tool: "a" }, false],
    ["*", "a", true],
  ];
  for (const [wide, narrow, expected] of rows) {
    it(`${JSON.stringify(wide)} ${expected ? "covers" : "does not surely cover"} ${JSON.stringify(narrow)}`, () => {
      assert.equal(covers(pattern(wide), pattern(narrow)), expected);
    });
  }
});
