import type { Range } from "../model/load-error.ts";
import type { Value } from "../model/value.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { describe } from "./map-reader.ts";
import { parsePath, type Vocabulary } from "./parse-path.ts";
import type { Comparison, Operand, Side } from "./pattern.ts";
import type { ProblemList } from "./rule-error.ts";

const sideNames: ReadonlyMap<Side, string> = new Map([
  ["a", "the anchor"],
  ["w", "the witness"],
  ["b", "the event in between"],
  ["e", "the event itself"],
  ["reg", "a register of the machine"],
]);

const token = `"[^"]*"|'[^']*'|[^\\s<>=!"']+`;
const shape = new RegExp(`^\\s*(${token})\\s*(==|!=|<=|>=|<|>|=)\\s*(${token})\\s*$`);

const operators: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

export interface ComparisonContext {
  readonly sides: readonly Side[];
  /** Registers that a machine sets; null: any name (not known here). */
  readonly registers?: ReadonlySet<string>;
  readonly vocabulary: Vocabulary;
  readonly problems: ProblemList;
}

/** One comparison, or a list of them: `w.seq < a.seq`. */
export function parseComparisons(
  node: SourceNode,
  what: string,
  context: ComparisonContext,
): readonly Comparison[] {
  const items = node.is === "list" ? node.items : [node];
  return items.flatMap((item) => {
    if (item.is === "scalar" && typeof item.value === "string") {
      const made = parseComparison(item.text, inside(item), context);
      return made === null ? [] : [made];
    }
    context.problems.error(
      item.range,
      "wrong-type",
      `${what} takes comparisons, not ${describe(item)}`,
      `Write for example "${example(context.sides)}".`,
    );
    return [];
  });
}

/** `w.result.expires_at`, for `valid_until` and `set`. */
export function parseOperandNode(node: SourceNode, what: string, context: ComparisonContext): Operand | null {
  if (node.is === "scalar" && node.value !== null) {
    if (typeof node.value !== "string") return { literal: node.value };
    return parseOperand(node.text, inside(node), context);
  }
  context.problems.error(
    node.range,
    "wrong-type",
    `${what} must be a path of one side, not ${describe(node)}`,
    `Write for example ${context.sides[0]}.result.expires_at.`,
  );
  return null;
}

function parseComparison(text: string, range: Range, context: ComparisonContext): Comparison | null {
  const match = shape.exec(text);
  const [, left = "", op = "", right = ""] = match ?? [];
  if (match === null || !operators.has(op)) {
    context.problems.error(
      range,
      "bad-comparison",
      `"${text}" is not a comparison`,
      op === "="
        ? `Write == for equality: "${left} == ${right}".`
        : `Write two sides and one of ==, !=, <, <=, >, >=: "${example(context.sides)}".`,
    );
    return null;
  }
  const leftOperand = parseOperand(left, at(range, text.indexOf(left), left.length), context);
  const rightOperand = parseOperand(right, at(range, text.lastIndexOf(right), right.length), context);
  if (leftOperand === null || rightOperand === null) return null;
  if ("literal" in leftOperand && "literal" in rightOperand) {
    context.problems.error(
      range,
      "bad-comparison",
      `"${text}" compares two constants`,
      `Name a field on one side: "${example(context.sides)}".`,
    );
    return null;
  }
  return { left: leftOperand, op: op as Comparison["op"], right: rightOperand, text: text.trim() };
}

function parseOperand(text: string, range: Range, context: ComparisonContext): Operand | null {
  const { sides, registers, vocabulary, problems } = context;
  const literal = literalOf(text);
  if (literal !== undefined) {
    if (literal !== null) return { literal };
    problems.error(
      range,
      "bad-comparison",
      "nothing compares with null",
      "Ask for presence in the pattern instead: absent: [path], or path: {exists: true}.",
    );
    return null;
  }
  const dot = text.indexOf(".");
  const side = (dot < 0 ? text : text.slice(0, dot)) as Side;
  if (!sides.includes(side) || dot < 0) {
    const known = sideNames.has(side) && dot > 0;
    problems.error(
      range,
      "bad-side",
      known
        ? `there is no ${side}. (${sideNames.get(side)}) here`
        : `"${text}" does not say whose field it is`,
      `Begin a path with ${sides.map((name) => `${name}. (${sideNames.get(name)})`).join(" or ")}; put constant text in quotes.`,
    );
    return null;
  }
  if (side === "reg") {
    const path = text.slice(dot + 1).split(".");
    const name = path[0] ?? "";
    if (registers === undefined || registers.has(name)) return { side, path };
    problems.error(
      range,
      "unknown-register",
      `no transition of this machine sets "${name}"`,
      `Add set: {${name}: e.args.…} to an earlier transition.`,
    );
    return null;
  }
  const path = parsePath(text.slice(dot + 1), range, vocabulary, problems);
  return path === null ? null : { side, path };
}

function literalOf(text: string): Value | undefined {
  if (/^(["']).*\1$/.test(text)) return text.slice(1, -1);
  if (/^[-+]?\d+$/.test(text)) {
    const whole = BigInt(text);
    return BigInt.asIntN(54, whole) === whole ? Number(whole) : whole;
  }
  if (/^[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text);
  if (text === "true") return true;
  if (text === "false") return false;
  return text === "null" ? null : undefined;
}

const example = (sides: readonly Side[]): string =>
  sides.includes("reg") ? "e.args.plan_id == reg.plan_id" : `${sides.at(-1)}.seq < ${sides[0]}.seq`;

/** The place of a scalar's characters, behind its opening quote. */
function inside(node: SourceNode): Range {
  if (node.is !== "scalar" || !node.quoted) return node.range;
  return { ...node.range, column: node.range.column + 1, length: Math.max(node.range.length - 2, 1) };
}

function at(range: Range, offset: number, length: number): Range {
  return { line: range.line, column: range.column + Math.max(offset, 0), length: Math.max(length, 1) };
}
