/** Single mistakes, each of a kind that somebody could make, as a change of one place in the sources. */
export interface Fault {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export const faults: readonly Fault[] = [
  {
    name: "a tie reads as before where the order is forbidden",
    file: "src/processor/order/happened-before.ts",
    find: 'policy.tie === "unknown" || use !== "required" || !meets',
    put: 'policy.tie === "unknown" || !meets',
  },
  {
    name: "a blocker that overlaps the earlier point is ignored",
    file: "src/rules/kernels/examine.ts",
    find: 'const over = before(kernel, point(b, "finished_at"), first, "blocker");',
    put: 'const over = before(kernel, point(b, "started_at"), first, "blocker");',
  },
  {
    name: "keys are strict about the type of a value",
    file: "src/rules/values.ts",
    find: "Number.isInteger(value) ? BigInt(value).toString() : String(value)",
    put: '"number " + value',
  },
  {
    name: "empty text is a key",
    file: "src/rules/values.ts",
    find: 'value === undefined || value === null || value === ""',
    put: "value === undefined || value === null",
  },
  {
    name: "within leaves its own bound out",
    file: "src/rules/kernels/examine.ts",
    find: "apart.most <= link.within",
    put: "apart.most < link.within",
  },
  {
    name: "of two copies the one that came last wins",
    file: "src/processor/assemble/copies.ts",
    find: "if (a.ended !== b.ended) return { keep: a.ended ? a : b, difference };",
    put: "if (a !== b) return { keep: b, difference };",
  },
  {
    name: "what was lost reads as absent",
    file: "src/model/event.ts",
    find: 'return code === undefined ? absent : { is: "unknown", code };',
    put: "return absent;",
  },
  {
    name: "what was not captured reads as absent",
    file: "src/rules/read.ts",
    find: 'return missing ? { is: "unknown", code: "not_captured" } : reading;',
    put: "return reading;",
  },
  {
    name: "a refuted clock is used again",
    file: "src/processor/order/happened-before.ts",
    find: "if (refuted.has(p.event, q.event)) return unknown",
    put: "if (p.event === q.event) return unknown",
  },
  {
    name: "a machine follows the first order only",
    file: "src/rules/kernels/machine.ts",
    find: "const kinds = new Set(results.map(",
    put: "const kinds = new Set(results.slice(0, 1).map(",
  },
  {
    name: "a machine lets unlisted steps pass",
    file: "src/rules/kernels/machine-steps.ts",
    find: 'const counts = machine.unlisted === "violate" &&',
    put: "const counts = false &&",
  },
  {
    name: "a missing value counts as one of the distinct values",
    file: "src/rules/kernels/count.ts",
    find: 'const present = reading.is === "value" && keyText(reading.value) !== null;',
    put: "const present = true as boolean;",
  },
  {
    name: "an event whose key is not known is never the only one of another key",
    file: "src/rules/kernels/count.ts",
    find: "const short = min !== null &&",
    put: "const short = false &&",
  },
  {
    name: "a window leaves its end out",
    file: "src/rules/kernels/count.ts",
    find: "apart !== null && apart.least > window",
    put: "apart !== null && apart.least >= window && i !== j",
  },
  {
    name: "the conversation is ignored",
    file: "src/processor/scopes.ts",
    find: 'addTo(drafts, "conversation", conversation ?? runKey, conversation, event, run);',
    put: 'addTo(drafts, "conversation", runKey, null, event, run);',
  },
  {
    name: "on_unknown speaks its opposite",
    file: "src/rules/judge.ts",
    find: 'rule.onUnknown === "violate" ? "violated" : "satisfied"',
    put: 'rule.onUnknown === "violate" ? "satisfied" : "violated"',
  },
  {
    name: "apart lets events pass that start at the same stamp",
    file: "src/rules/kernels/apart.ts",
    find: 'if (bound.truth === "false") return { truth: "apart", code: null };',
    put: 'if (bound.truth === "false" || JSON.stringify(a.start, String) === JSON.stringify(w.start, String)) return { truth: "apart", code: null };',
  },
  {
    name: "one witness is enough where two are asked for",
    file: "src/rules/kernels/search.ts",
    find: "Math.max(1, link.atLeast)",
    put: "1",
  },
  {
    name: "an inferred offset is taken with the wrong sign",
    file: "src/processor/order/offset-interval.ts",
    find: "return flip ? { least: -found.most, most: -found.least } : found;",
    put: "return found;",
  },
  {
    name: "two clocks are compared without their skew",
    file: "src/processor/order/clock.ts",
    find: "p.hi - 1n + skew < q.lo",
    put: "p.hi - 1n < q.lo",
  },
  {
    name: "a call that never ended had finished",
    file: "src/processor/order/happened-before.ts",
    find: 'if (from === "never") return { truth: "false", evidence: "never_finished" };',
    put: 'if (from === "never") return { truth: "true", evidence: "tie_rule" };',
  },
  {
    name: "a tie puts an event into a stretch",
    file: "src/rules/kernels/stretch.ts",
    find: 'point(second, "started_at"), "blocker")',
    put: 'point(second, "started_at"), "required")',
  },
  {
    name: "a call that was refused before it ran is an attempt",
    file: "src/rules/match.ts",
    find: 'new Set(["awaiting", "rejected_invalid", "requested"])',
    put: 'new Set(["awaiting", "requested"])',
  },
  {
    name: "decision numbers prove nothing",
    file: "src/processor/order/causal-graph.ts",
    find: "if (number === null) return null;",
    put: 'if (number !== null || event.run !== "") return null;',
  },
  {
    name: "what comes after its run has closed is dropped",
    file: "src/processor/pipeline.ts",
    find: "const added = addFact(state.table, run, fact, at);",
    put: "if (run.closed !== null) continue;\n    const added = addFact(state.table, run, fact, at);",
  },
  {
    name: "expired evidence is still good for a few milliseconds",
    file: "src/rules/kernels/examine.ts",
    find: "if (at.latest <= until) return yes;",
    put: "if (at.latest <= until + 3_000_000n) return yes;",
  },
];
