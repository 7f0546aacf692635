/** Links as kinds of rules make them, and their words. */
import type { Boundary } from "../../model/order.ts";
import { formatDuration } from "../../model/time.ts";
import type { Code } from "../../model/verdict.ts";
import { canonical } from "../canonical.ts";
import type { Comparison, Pattern } from "../pattern.ts";
import type { Link } from "../program.ts";
import type { LinkOptions, Need } from "./rule-kind.ts";

/** A link with the default boundaries: the earlier side by its end, the later by its start. */
export function link(
  need: Need,
  quant: Link["quant"],
  anchor: Pattern,
  witness: Pattern,
  options: Partial<LinkOptions> & { readonly code?: Code } = {},
): Link {
  const anchorDefault: Boundary = need === "future" ? "finished_at" : "started_at";
  const witnessDefault: Boundary = need === "future" ? "started_at" : "finished_at";
  return {
    kernel: "link",
    anchor,
    anchorBoundary: anchor.boundary ?? anchorDefault,
    witness,
    witnessBoundary: witness.boundary ?? witnessDefault,
    need,
    quant,
    atLeast: options.atLeast ?? 1,
    bind: options.bind ?? [],
    where: options.where ?? [],
    within: options.within ?? null,
    noSooner: options.noSooner ?? null,
    validUntil: options.validUntil ?? null,
    unlessBetween: options.unlessBetween ?? [],
    code: options.code ?? null,
  };
}

/** The same options seen from the witness: for the second of two links that look at each other. */
export function swapped(options: LinkOptions): LinkOptions {
  const side = (operand: Comparison["left"]): Comparison["left"] =>
    "side" in operand && (operand.side === "a" || operand.side === "w")
      ? { ...operand, side: operand.side === "a" ? "w" : "a" }
      : operand;
  const compare = (comparison: Comparison): Comparison => ({
    ...comparison,
    left: side(comparison.left),
    right: side(comparison.right),
  });
  return {
    ...options,
    bind: options.bind.map(({ anchor, witness }) => ({ anchor: witness, witness: anchor })),
    where: options.where.map(compare),
    unlessBetween: options.unlessBetween.map((blocker) => ({
      ...blocker,
      where: blocker.where.map(compare),
    })),
  };
}

/** Whether two patterns speak of events of one name and kind, whatever else they ask. */
export function sameSubject(a: Pattern, b: Pattern): boolean {
  return (
    canonical([a.kinds, a.name]) === canonical([b.kinds, b.name]) && (a.name !== null || a.kinds !== null)
  );
}

/** ` for the same args.id, within 5m`: the end of a sentence about a link. */
export function conditions(options: LinkOptions): string {
  const keys = options.bind.map(({ anchor, witness }) =>
    anchor.join(".") === witness.join(".")
      ? anchor.join(".")
      : `${anchor.join(".")} (there ${witness.join(".")})`,
  );
  const parts = [
    options.atLeast > 1 ? ` at least ${options.atLeast} times` : "",
    keys.length > 0 ? ` for the same ${keys.join(" and ")}` : "",
    options.where.length > 0
      ? ` where ${options.where.map((comparison) => comparison.text).join(" and ")}`
      : "",
    options.within !== null ? ` within ${formatDuration(options.within)}` : "",
    options.noSooner != null ? ` at least ${formatDuration(options.noSooner)} apart` : "",
    options.validUntil !== null ? " and not expired" : "",
    options.unlessBetween.length > 0
      ? ` with no ${options.unlessBetween.map((blocker) => blocker.match.text).join(" or ")} in between`
      : "",
  ];
  return parts.join("");
}
