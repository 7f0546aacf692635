/** Comparisons of `where` and `when`: `w.seq < a.seq`, `e.args.plan_id == reg.plan_id`. */
import type { Event, Reading } from "../model/event.ts";
import { readPath } from "../model/value.ts";
import type { Comparison, Operand, Side } from "./pattern.ts";
import { readPredicate } from "./read.ts";
import { because, type Match, no, yes } from "./truth.ts";
import { compareValues, sameValue } from "./values.ts";

/** The events that a comparison speaks of, and a machine's registers. */
export interface Sides {
  readonly a?: Event;
  readonly w?: Event;
  readonly b?: Event;
  readonly e?: Event;
  readonly reg?: ReadonlyMap<string, Reading>;
}

export function readOperand(operand: Operand, sides: Sides, settled: boolean): Reading {
  if ("literal" in operand) {
    return operand.literal === null ? { is: "absent" } : { is: "value", value: operand.literal };
  }
  if (operand.side === "reg") return readRegister(operand.path, sides.reg);
  const event = sides[operand.side];
  return event === undefined ? { is: "absent" } : readPredicate(event, operand.path, settled);
}

function readRegister(path: readonly string[], registers: Sides["reg"]): Reading {
  const found = registers?.get(path[0] ?? "") ?? { is: "absent" };
  if (found.is !== "value") return found;
  const value = readPath(found.value, path.slice(1));
  return value === undefined || value === null ? { is: "absent" } : { is: "value", value };
}

/** A missing value satisfies no comparison, not even `!=` (docs/semantics.md 11). */
export function compare(comparison: Comparison, sides: Sides, settled: boolean): Match {
  const left = readOperand(comparison.left, sides, settled);
  const right = readOperand(comparison.right, sides, settled);
  if (left.is === "absent" || right.is === "absent") return because("false", "missing_attribute");
  if (left.is === "unknown") return because("unknown", left.code);
  if (right.is === "unknown") return because("unknown", right.code);
  if (holds(comparison.op, left, right)) return yes;
  return saysSameDecision(comparison, left, right) ? because("false", "same_decision") : no;
}

type Known = Extract<Reading, { is: "value" }>;

function holds(op: Comparison["op"], left: Known, right: Known): boolean {
  if (op === "==") return sameValue(left.value, right.value);
  if (op === "!=") return !sameValue(left.value, right.value);
  const order = compareValues(left.value, right.value);
  if (order === null) return false;
  switch (op) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

/** `w.seq < a.seq` that fails since both have one number: two calls of one decision prove nothing to each other. */
function saysSameDecision(comparison: Comparison, left: Known, right: Known): boolean {
  if (comparison.op !== "<" && comparison.op !== ">") return false;
  const sides = [sideOfSeq(comparison.left), sideOfSeq(comparison.right)];
  return sides.includes("a") && sides.includes("w") && compareValues(left.value, right.value) === 0;
}

function sideOfSeq(operand: Operand): Side | null {
  return "side" in operand && operand.path.length === 1 && operand.path[0] === "seq" ? operand.side : null;
}

export function compareAll(comparisons: readonly Comparison[], sides: Sides, settled: boolean): Match {
  let result = yes;
  for (const comparison of comparisons) {
    const match = compare(comparison, sides, settled);
    if (match.truth === "false") return match;
    if (match.truth === "unknown" && result.truth === "true") result = match;
  }
  return result;
}
