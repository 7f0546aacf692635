import type { Comparison, Operand, Pattern } from "../pattern.ts";
import type { Blocker } from "../program.ts";

/**
 * An approval that is spent by one use: another use of the same key stands between. `where` are the link's own
 * comparisons: a use that they keep from this witness spends nothing.
 */
export const spentBy = (use: Pattern, where: readonly Comparison[]): Blocker => ({
  match: use,
  where: where.map(ofAnotherAnchor),
  bound: true,
  code: "blocked",
});

/** What is asked of the anchor, asked of the event in between. */
function ofAnotherAnchor(comparison: Comparison): Comparison {
  const turn = (operand: Operand): Operand =>
    "side" in operand && operand.side === "a" ? { ...operand, side: "b" } : operand;
  return { ...comparison, left: turn(comparison.left), right: turn(comparison.right) };
}
