/**
 * What the oracles judge, as shapes of their own: a program of `src/rules` fits them, and nothing else of it is
 * used here, so that a mistake in a type there cannot become the oracle's as well.
 */
import type { Boundary } from "../../src/model/order.ts";
import type { Value } from "../../src/model/value.ts";

export type OraclePath = readonly string[];

export interface OraclePattern {
  readonly kinds: ReadonlySet<string> | null;
  readonly name: { readonly op: string; readonly value?: Value } | null;
  readonly tests: readonly {
    readonly path: OraclePath;
    readonly test: { readonly op: string; readonly value?: Value };
  }[];
}

export type OracleOperand =
  | { readonly side: "a" | "w" | "b" | "e" | "reg"; readonly path: OraclePath }
  | { readonly literal: Value };

export interface OracleComparison {
  readonly left: OracleOperand;
  readonly op: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly right: OracleOperand;
}

export interface OracleBind {
  readonly anchor: OraclePath;
  readonly witness: OraclePath;
}

export interface OracleLink {
  readonly anchor: OraclePattern;
  readonly anchorBoundary: Boundary;
  readonly witness: OraclePattern;
  readonly witnessBoundary: Boundary;
  readonly need: "past" | "future" | "any" | "apart";
  readonly quant: "some" | "none";
  readonly atLeast: number;
  readonly bind: readonly OracleBind[];
  readonly where: readonly OracleComparison[];
  readonly within: bigint | null;
  readonly noSooner?: bigint | null;
  readonly also?: readonly {
    readonly first: { readonly of: "a" | "w"; readonly boundary: Boundary };
    readonly second: { readonly of: "a" | "w"; readonly boundary: Boundary };
    readonly holds: boolean;
  }[];
  readonly limit?: number;
  readonly unlessBetween: readonly {
    readonly match: OraclePattern;
    readonly where: readonly OracleComparison[];
    readonly bound: boolean;
  }[];
}

export interface OracleCount {
  readonly of: OraclePattern;
  readonly min: number | null;
  readonly max: number | null;
  readonly distinct: readonly OraclePath[];
  readonly bind: readonly OraclePath[];
}

export interface OracleMachine {
  readonly initial: string;
  readonly transitions: readonly {
    readonly from: string;
    readonly on: OraclePattern;
    readonly to: string;
  }[];
  readonly unlisted: "ignore" | "violate";
  readonly onIllegal: "violate" | "stay";
  readonly final: ReadonlySet<string> | null;
  readonly judgedWithoutStep: boolean;
}

export interface OracleStretch {
  readonly after: OraclePattern | null;
  readonly before: OraclePattern | null;
  readonly bind: readonly OracleBind[];
}
