/** Patterns, keys and comparisons in three values, read from the text of docs/semantics.md 1, 4 and 11. */
import type { Truth } from "../../../src/model/order.ts";
import type { Value } from "../../../src/model/value.ts";
import type { BindSpec, ComparisonSpec, EventSpec, OperandSpec, PatternSpec, TestSpec } from "./language.ts";

export const and = (...truths: readonly Truth[]): Truth =>
  truths.includes("false") ? "false" : truths.includes("unknown") ? "unknown" : "true";
export const or = (...truths: readonly Truth[]): Truth =>
  truths.includes("true") ? "true" : truths.includes("unknown") ? "unknown" : "false";
export const negate = (truth: Truth): Truth =>
  truth === "unknown" ? truth : truth === "true" ? "false" : "true";
export const truth = (value: boolean): Truth => (value ? "true" : "false");

/** How a call ends that has no result at all; whatever else lacks one was not captured. */
const withoutResult = ["error", "timeout", "cancelled", "rejected_invalid", "awaiting"];

export type Read = { readonly value: Exclude<Value, null> } | "absent" | "unknown";

export function read(event: EventSpec, path: string): Read {
  const [root = "", ...rest] = path.split(".");
  let value: Value | undefined;
  if (root === "args") value = event.args;
  else if (root === "result") value = event.result;
  else if (root === "name") value = event.name;
  else if (root === "status") value = event.status;
  else if (root === "seq") value = event.seq;
  else if (root === "conversation") value = event.conversation;
  else throw new Error(`the slow evaluator does not read ${path}`);
  const none = root === "result" && withoutResult.includes(event.status);
  const captured = value !== undefined || none || (root !== "args" && root !== "result");
  for (const key of rest) {
    const map = value as Readonly<Record<string, Value>> | null | undefined;
    value = typeof map === "object" && map !== null ? map[key] : undefined;
  }
  if (value !== undefined && value !== null) return { value };
  if (!captured) return "unknown";
  const lost = event.dropped.some((one) => path === one || path.startsWith(`${one}.`));
  return lost ? "unknown" : "absent";
}

const calls = ["tool_call", "retrieval"];
const notRun = ["awaiting", "rejected_invalid", "requested"];

export function matches(pattern: PatternSpec, event: EventSpec): Truth {
  const { names, kind, status, tests = [], absent, where = [], anyOf, not } = pattern;
  if (kind !== undefined && event.kind !== kind) return "false";
  if (names.length > 0) {
    if (kind === undefined && !calls.includes(event.kind)) return "false";
    if (!names.some((name) => isNamed(event.name, name))) return "false";
  }
  const waits = calls.includes(event.kind) && notRun.includes(event.status);
  // A branch of any_of names its own statuses.
  if (waits && anyOf === undefined && status?.includes(event.status) !== true) return "false";
  if (status !== undefined && !status.includes(event.status)) return "false";
  return and(
    ...tests.map((test) => passes(test, event)),
    ...(absent === undefined ? [] : [isAbsent(read(event, absent))]),
    ...where.map((one) => compared(one, { e: event })),
    ...(anyOf === undefined ? [] : [or(...anyOf.map((branch) => matches(branch, event)))]),
    ...(not === undefined ? [] : [negate(matches(not, event))]),
  );
}

function isNamed(name: string | null, wanted: string): boolean {
  if (name === null) return false;
  return wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

function isAbsent(found: Read): Truth {
  return found === "unknown" ? "unknown" : truth(found === "absent" || found.value === "");
}

function passes({ path, op, value }: TestSpec, event: EventSpec): Truth {
  const found = read(event, path);
  if (op === "exists") return value === true ? negate(isAbsent(found)) : isAbsent(found);
  if (found === "unknown") return "unknown";
  if (found === "absent") return "false";
  const quoted = path === "result" && typeof value === "string" && found.value === JSON.stringify(value);
  const equal = found.value === value || quoted;
  if (op === "equals") return truth(equal);
  if (op === "ne") return truth(!equal);
  if (typeof found.value !== "number" || typeof value !== "number") return "false";
  return truth(op === "gt" ? found.value > value : found.value <= value);
}

/** The text of a key's part; a null, missing or empty one never matches. */
export function keyPart(event: EventSpec, path: string): string | "absent" | null {
  const found = read(event, path);
  if (found === "unknown") return null;
  if (found === "absent" || found.value === "") return "absent";
  return `=${String(found.value)}`;
}

export function sameKeys(binds: readonly BindSpec[], anchor: EventSpec, other: EventSpec): Truth {
  return and(
    ...binds.map(({ a, w }) => {
      const [x, y] = [keyPart(anchor, a), keyPart(other, w)];
      if (x === "absent" || y === "absent") return "false";
      return x === null || y === null ? "unknown" : truth(x === y);
    }),
  );
}

/** `absent`, `unknown`, or the text by which an instance is named. */
export function keyOf(
  paths: readonly string[],
  event: EventSpec,
): { readonly text: string } | "absent" | "unknown" {
  const parts = paths.map((path) => keyPart(event, path));
  if (parts.includes("absent")) return "absent";
  if (parts.includes(null)) return "unknown";
  const texts = parts.map((part) => (part ?? "").slice(1));
  return { text: texts.length <= 1 ? (texts[0] ?? "") : JSON.stringify(texts) };
}

export function compared(
  { left, op, right }: ComparisonSpec,
  sides: Readonly<Record<string, EventSpec>>,
): Truth {
  const [x, y] = [operand(left, sides), operand(right, sides)];
  if (x === "absent" || y === "absent") return "false";
  if (x === "unknown" || y === "unknown") return "unknown";
  if (op === "==") return truth(x.value === y.value);
  if (op === "!=") return truth(x.value !== y.value);
  const [p, q] = [x.value, y.value];
  const ordered =
    (typeof p === "number" && typeof q === "number") || (typeof p === "string" && typeof q === "string");
  if (!ordered) return "false";
  if (op === "<") return truth(p < q);
  if (op === ">") return truth(p > q);
  return truth(op === "<=" ? p <= q : p >= q);
}

export function operand(spec: OperandSpec, sides: Readonly<Record<string, EventSpec>>): Read {
  if (typeof spec === "number") return { value: spec };
  const dot = spec.indexOf(".");
  const event = sides[spec.slice(0, dot)];
  if (event === undefined) throw new Error(`no side ${spec}`);
  return read(event, spec.slice(dot + 1));
}
