/** Which codes the violations of a rule can carry; the order is that of the ranking, nearest first. */
import { type Code, codes } from "../model/verdict.ts";
import type { Comparison, Pattern } from "./pattern.ts";
import type { Count, Link, Machine, Program } from "./program.ts";
import type { Rule } from "./rule.ts";

export function codesOf(rule: Rule): readonly Code[] {
  const found = new Set<Code>(rule.code === null ? ofProgram(rule.program) : [rule.code]);
  if (rule.mustApply || (rule.pairRequired && rule.missingAfter !== "vacuous")) found.add("anchor_missing");
  // What was never certain counts as broken, under the code of the doubt.
  if (rule.onUnknown === "violate" && rule.code === null) for (const code of doubtsOf(rule)) found.add(code);
  return codes.filter((code) => found.has(code));
}

/** Codes of verdicts that stay open for want of knowledge. */
export function doubtsOf(rule: Rule): readonly Code[] {
  return rule.clock.evidence === "causal" ? ["unenforced_order", ...doubts] : doubts;
}

const doubts: readonly Code[] = [
  "order_unknown",
  "data_incomplete",
  "not_captured",
  "scope_unknown",
  "clock_contradiction",
];

function ofProgram(program: Program): readonly Code[] {
  switch (program.kernel) {
    case "link":
      return ofLink(program);
    case "count":
      return ofCount(program);
    case "machine":
      return ofMachine(program);
    case "fold":
      return program.parts.flatMap(ofProgram);
    case "guard":
    case "stretch":
      return ofProgram(program.then);
  }
}

function ofLink(link: Link): readonly Code[] {
  if (link.code !== null) return [link.code];
  if (link.need === "apart") return ["overlap"];
  if (link.quant === "none") return [link.need === "any" ? "forbidden_pair" : "forbidden_after"];
  const keyed = link.bind.length > 0;
  const timed = link.within !== null || link.validUntil !== null;
  return [
    link.need === "future" && link.within !== null ? "deadline_missed" : "witness_missing",
    ...(link.need === "any" ? [] : (["witness_late", "overlap", "witness_never_finished"] as const)),
    ...(keyed ? (["wrong_entity", "unbound_key"] as const) : []),
    ...(link.where.length > 0 ? (["wrong_entity", "missing_attribute"] as const) : []),
    ...link.where.flatMap(codesOfComparison),
    ...codesOfMatch(link.witness),
    ...(timed ? [link.need === "future" ? ("deadline_missed" as const) : ("expired" as const)] : []),
    ...(link.noSooner == null ? [] : (["retry_too_soon"] as const)),
    ...(link.validUntil === null ? [] : (["missing_attribute"] as const)),
    ...link.unlessBetween.map(({ code }) => code),
  ];
}

/** Decision numbers that are compared: two calls of one decision prove nothing to each other. */
function codesOfComparison({ left, right }: Comparison): readonly Code[] {
  const isSeq = (operand: Comparison["left"]): boolean =>
    "side" in operand && ["seq", "decision"].includes(operand.path[0] ?? "");
  return isSeq(left) || isSeq(right) ? ["same_decision"] : [];
}

function codesOfMatch(pattern: Pattern): readonly Code[] {
  const inner = [...pattern.anyOf, ...(pattern.not === null ? [] : [pattern.not])].flatMap(codesOfMatch);
  // A call that waits, was refused before it ran or was only asked for proves nothing unless it is named.
  const call = pattern.kinds === null || pattern.kinds.has("tool_call") || pattern.kinds.has("retrieval");
  const status = pattern.tests.some(({ path }) => path[0] === "status");
  const other = pattern.where.length > 0 || pattern.tests.some(({ path }) => path[0] !== "status");
  return [
    ...inner,
    ...(call || status ? (["wrong_status"] as const) : []),
    ...(other ? (["missing_attribute", "wrong_status", "wrong_entity"] as const) : []),
  ];
}

function ofCount(count: Count): readonly Code[] {
  if (count.code !== null) return [count.code];
  return [
    ...(count.min === null || count.min === 0 ? [] : (["count_below"] as const)),
    ...(count.max === null ? [] : (["count_exceeded"] as const)),
  ];
}

function ofMachine(machine: Machine): readonly Code[] {
  if (machine.code !== null) return [machine.code];
  const { transitions } = machine;
  return [
    ...(machine.onIllegal === "violate" ? (["illegal_transition"] as const) : []),
    ...(machine.unlisted === "violate" ? (["unlisted_event"] as const) : []),
    ...(machine.final === null ? [] : (["not_final"] as const)),
    ...(machine.maxTime.size === 0 ? [] : (["deadline_missed"] as const)),
    ...((machine.minTime?.size ?? 0) === 0 ? [] : (["retry_too_soon"] as const)),
    ...(transitions.some(({ needs, gives }) => needs.length + gives.length > 0)
      ? (["missing_attribute"] as const)
      : []),
    ...(transitions.some(({ owner }) => owner !== null) ? (["wrong_owner"] as const) : []),
  ];
}
