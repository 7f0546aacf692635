import type { Boundary } from "../model/order.ts";
import type { Value } from "../model/value.ts";

/** A field path, split at its dots: `result.status` → ["result", "status"]. */
export type Path = readonly string[];

/**
 * Which events a rule speaks about, as data (docs/rules.md#patterns). All parts must hold. `rules/match`
 * turns it into a three-valued test.
 */
export interface Pattern {
  /** Event kinds it accepts; null: every kind (`*`, or only `not`/`any_of`). A name without a kind accepts tool calls and retrievals. */
  readonly kinds: ReadonlySet<string> | null;
  /** Test of the event's name; null when the pattern names none. */
  readonly name: ValueTest | null;
  readonly tests: readonly PathTest[];
  readonly absent: readonly Path[];
  /** Comparisons over `e.`, the event itself. */
  readonly where: readonly Comparison[];
  readonly anyOf: readonly Pattern[];
  readonly not: Pattern | null;
  /** The boundary the pattern asks for; null: the default of its side. */
  readonly boundary: Boundary | null;
  /**
   * True when it tests `status`: then `awaiting`, `rejected_invalid` and `requested` lives can match
   * (docs/semantics.md 11).
   */
  readonly namesStatus: boolean;
  /** The pattern in the user's words, for reports: `check_requester_authorization`, `final_answer`. */
  readonly text: string;
}

/** Asks nothing of an event: what patterns that are put together by code begin with. */
export const anyEvent: Pattern = {
  kinds: null,
  name: null,
  tests: [],
  absent: [],
  where: [],
  anyOf: [],
  not: null,
  boundary: null,
  namesStatus: false,
  text: "*",
};

export interface PathTest {
  readonly path: Path;
  readonly test: ValueTest;
}

export type ValueTest =
  /** Strict by type, except that `result: approved` also accepts the JSON text `"approved"`. */
  | { readonly op: "equals"; readonly value: Value }
  | { readonly op: "one_of"; readonly tests: readonly ValueTest[] }
  | { readonly op: "gt" | "ge" | "lt" | "le" | "ne"; readonly value: Value }
  | { readonly op: "exists"; readonly wanted: boolean }
  | { readonly op: "glob"; readonly glob: string }
  /** RE2 syntax, linear time, unanchored. */
  | { readonly op: "matches"; readonly pattern: string }
  /** A map: these fields of the value. */
  | { readonly op: "fields"; readonly fields: readonly PathTest[] }
  /** Several operators on one path. */
  | { readonly op: "all"; readonly tests: readonly ValueTest[] };

/** `a` anchor, `w` witness, `b` blocker, `e` the event itself, `reg` a machine's register. */
export type Side = "a" | "w" | "b" | "e" | "reg";

export type Operand = { readonly side: Side; readonly path: Path } | { readonly literal: Value };

export interface Comparison {
  readonly left: Operand;
  readonly op: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly right: Operand;
  readonly text: string;
}

/** A key that both sides must share. Usually the same path twice. */
export interface Bind {
  readonly anchor: Path;
  readonly witness: Path;
  /** Paths that count before `witness` where the event carries them: an edited value before the one that was asked. */
  readonly witnessFirst?: readonly Path[];
}
