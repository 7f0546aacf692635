/** Random rules and traces as plain data, and the words in which a user would write them down. */
import type { Boundary } from "../../../src/model/order.ts";
import type { Value } from "../../../src/model/value.ts";

export interface PatternSpec {
  /** Exact names; a glob ends in `*`. None: the pattern names nothing. */
  readonly names: readonly string[];
  readonly kind?: string;
  readonly status?: readonly string[];
  /** Equality of a path, or `gt`, `le`, `ne`. */
  readonly tests?: readonly TestSpec[];
  readonly absent?: string;
  readonly where?: readonly ComparisonSpec[];
  readonly boundary?: Boundary;
  readonly anyOf?: readonly PatternSpec[];
  readonly not?: PatternSpec;
}

export interface TestSpec {
  readonly path: string;
  readonly op: "equals" | "gt" | "le" | "ne" | "exists";
  readonly value: string | number | boolean;
}

/** A path with its side, such as `w.args.k`, or a constant. */
export type OperandSpec = string | number;

export interface ComparisonSpec {
  readonly left: OperandSpec;
  readonly op: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly right: OperandSpec;
}

export interface BindSpec {
  readonly a: string;
  readonly w: string;
}

export type ScopeSpec =
  | { readonly is: "run" | "conversation" | "all" }
  | { readonly is: "key"; readonly path: string }
  | {
      readonly is: "stretch";
      readonly after: PatternSpec | null;
      readonly before: PatternSpec | null;
      readonly bind: readonly BindSpec[];
    };

/** Nanoseconds, as far as they are times. */
export interface PolicySpec {
  readonly skew: number | null;
  readonly tie: "before" | "unknown";
  /** null: by the digits of the event's own start. */
  readonly resolution: number | null;
  readonly inferOffset: boolean;
  readonly evidence: "any" | "causal";
}

interface Common {
  readonly id: string;
  readonly scope: ScopeSpec;
  readonly onUnknown: "inconclusive" | "violate" | "satisfy";
  readonly mustApply: boolean;
  /** What the rule says itself; the rest is the deployment's. */
  readonly clock: Partial<PolicySpec>;
}

export interface LinkSpec extends Common {
  readonly kind: "link";
  readonly anchor: PatternSpec;
  readonly witness: PatternSpec;
  readonly need: "past" | "future" | "any";
  readonly quant: "some" | "none";
  readonly atLeast: number;
  readonly bind: readonly BindSpec[];
  readonly where: readonly ComparisonSpec[];
  readonly withinMs: number | null;
  readonly validUntil: string | null;
  readonly unlessBetween: readonly {
    readonly match: PatternSpec;
    readonly where: readonly ComparisonSpec[];
  }[];
}

export interface ApartSpec extends Common {
  readonly kind: "apart";
  readonly of: PatternSpec;
  readonly bind: readonly BindSpec[];
  readonly where: readonly ComparisonSpec[];
  readonly limit: number;
}

export interface CountSpec extends Common {
  readonly kind: "count";
  readonly of: PatternSpec;
  readonly min: number | null;
  readonly max: number | null;
  readonly distinct: readonly string[];
  readonly bind: readonly string[];
  readonly windowMs: number | null;
}

export interface TransitionSpec {
  readonly from: string;
  readonly on: PatternSpec;
  readonly to: string;
}

export interface MachineSpec extends Common {
  readonly kind: "machine";
  readonly bind: readonly string[];
  readonly initial: string;
  readonly transitions: readonly TransitionSpec[];
  readonly unlisted: "ignore" | "violate";
  readonly onIllegal: "violate" | "stay";
  readonly final: readonly string[] | null;
}

export type RuleSpec = LinkSpec | ApartSpec | CountSpec | MachineSpec;

/** One event as it truly was; times in nanoseconds from the base of all tests. */
export interface EventSpec {
  readonly id: string;
  readonly run: string;
  readonly conversation: string | null;
  readonly kind: string;
  readonly name: string | null;
  readonly status: string;
  readonly start: number;
  /** null: it never ended. */
  readonly end: number | null;
  readonly host: string;
  readonly seq: number | null;
  readonly parents: readonly string[];
  readonly links: readonly string[];
  readonly parent: string | null;
  /** Its parent waited for it. */
  readonly sync: boolean;
  /** undefined: not captured. */
  readonly args: Readonly<Record<string, Value>> | undefined;
  readonly result: Value | undefined;
  /** Paths that the sender says it lost. */
  readonly dropped: readonly string[];
}

export interface TraceSpec {
  readonly events: readonly EventSpec[];
  readonly policy: PolicySpec;
}

/** A value as YAML writes a map in one line. */
type Written = string | number | boolean | null | readonly Written[] | { readonly [key: string]: Written };

/** JSON is YAML, and needs no thought about quoting. */
export function contractYaml(rules: readonly RuleSpec[]): string {
  const lines = rules.map((rule) => `  - ${JSON.stringify(writtenRule(rule))}`);
  return ["contract: random", "rules:", ...lines, ""].join("\n");
}

export function writtenRule(rule: RuleSpec): { readonly [key: string]: Written } {
  return {
    id: rule.id,
    kind: rule.kind,
    ...writtenBody(rule),
    ...(rule.scope.is === "run" ? {} : { scope: writtenScope(rule.scope) }),
    ...(rule.onUnknown === "inconclusive" ? {} : { on_unknown: rule.onUnknown }),
    ...(rule.mustApply ? { must_apply: true } : {}),
    ...(Object.keys(rule.clock).length === 0 ? {} : { clock: writtenPolicy(rule.clock) }),
  };
}

function writtenBody(rule: RuleSpec): { readonly [key: string]: Written } {
  switch (rule.kind) {
    case "link":
      return {
        anchor: writtenPattern(rule.anchor),
        need: rule.need,
        quant: rule.quant,
        witness: writtenPattern(rule.witness),
        ...listed("bind", rule.bind.map(writtenBind)),
        ...listed("where", rule.where.map(writtenComparison)),
        ...(rule.withinMs === null ? {} : { within: `${rule.withinMs}ms` }),
        ...(rule.validUntil === null ? {} : { valid_until: rule.validUntil, unit: "ms" }),
        ...listed(
          "unless_between",
          rule.unlessBetween.map(({ match, where }) =>
            where.length === 0
              ? writtenPattern(match)
              : { match: writtenPattern(match), where: where.map(writtenComparison) },
          ),
        ),
        ...(rule.atLeast === 1 ? {} : { at_least: rule.atLeast }),
      };
    case "apart":
      return {
        of: writtenPattern(rule.of),
        ...listed("bind", rule.bind.map(writtenBind)),
        ...listed("where", rule.where.map(writtenComparison)),
        ...(rule.limit === 1 ? {} : { limit: rule.limit }),
      };
    case "count":
      return {
        of: writtenPattern(rule.of),
        ...(rule.min === null ? {} : { min: rule.min }),
        ...(rule.max === null ? {} : { max: rule.max }),
        ...listed("distinct", rule.distinct),
        ...listed("bind", rule.bind),
        ...(rule.windowMs === null ? {} : { window: `${rule.windowMs}ms` }),
      };
    case "machine":
      return {
        initial: rule.initial,
        transitions: rule.transitions.map(({ from, on, to }) => [from, writtenPattern(on), to]),
        ...listed("bind", rule.bind),
        unlisted: rule.unlisted,
        on_illegal: rule.onIllegal,
        ...(rule.final === null ? {} : { final: rule.final }),
      };
  }
}

function listed(key: string, items: readonly Written[]): { readonly [key: string]: Written } {
  return items.length === 0 ? {} : { [key]: items };
}

export function writtenPattern(pattern: PatternSpec): Written {
  const { names, kind, status, tests = [], absent, where = [], boundary, anyOf, not } = pattern;
  const map: Record<string, Written> = {};
  if (names.length > 0)
    map[kind === undefined ? "tool" : "name"] = names.length === 1 ? (names[0] ?? "") : names;
  if (kind !== undefined) map.kind = kind;
  if (status !== undefined) map.status = status.length === 1 ? (status[0] ?? "") : status;
  for (const { path, op, value } of tests) map[path] = op === "equals" ? value : { [op]: value };
  if (absent !== undefined) map.absent = [absent];
  if (where.length > 0) map.where = where.map(writtenComparison);
  if (boundary !== undefined) map.boundary = boundary;
  if (anyOf !== undefined) map.any_of = anyOf.map(writtenPattern);
  if (not !== undefined) map.not = writtenPattern(not);
  return Object.keys(map).length === 0 ? "*" : map;
}

function writtenBind({ a, w }: BindSpec): Written {
  return a === w ? a : { a, w };
}

function writtenComparison({ left, op, right }: ComparisonSpec): string {
  return `${left} ${op} ${right}`;
}

function writtenScope(scope: Exclude<ScopeSpec, { is: "run" }>): Written {
  if (scope.is === "key") return { key: scope.path };
  if (scope.is !== "stretch") return scope.is;
  const { after, before, bind } = scope;
  const bound = listed("bind", bind.map(writtenBind));
  if (after !== null && before !== null) {
    return { between: [writtenPattern(after), writtenPattern(before)], ...bound };
  }
  return after === null
    ? { before: writtenPattern(before ?? { names: [] }), ...bound }
    : { after: writtenPattern(after), ...bound };
}

export function writtenPolicy(policy: Partial<PolicySpec>): { readonly [key: string]: Written } {
  const { skew, tie, resolution, inferOffset, evidence } = policy;
  return {
    ...(skew === undefined ? {} : { skew_ms: skew === null ? "none" : skew / 1e6 }),
    ...(tie === undefined ? {} : { tie }),
    ...(resolution === undefined || resolution === null ? {} : { resolution: `${resolution}ns` }),
    ...(inferOffset === undefined ? {} : { infer_offset: inferOffset }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}
