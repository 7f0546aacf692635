/**
 * Several parts that must all hold. Parts with the same anchor fold per anchor, parts without one per key, so
 * that one broken anchor counts once (docs/semantics.md 8).
 */
import { type InstanceVerdict, type Verdict, verdicts } from "../../model/verdict.ts";
import type { Fold, Link, Program } from "../program.ts";
import { rankOf } from "../truth.ts";
import type { Kernel } from "./context.ts";

const severity = new Map<Verdict, number>(verdicts.map((verdict, i) => [verdict, i]));

export function foldParts(
  fold: Fold,
  parts: readonly (readonly InstanceVerdict[])[],
  kernel: Kernel,
): InstanceVerdict[] {
  const once = forbidBothWays(fold.parts) ? onTheLater(parts, kernel) : parts;
  const merged = new Map<string, InstanceVerdict>();
  for (const found of once.flat()) {
    const id = found.anchor === null ? `key ${found.key}` : `anchor ${found.anchor}`;
    const known = merged.get(id);
    merged.set(id, known === undefined ? found : worseOf(known, found));
  }
  return [...merged.values()];
}

/** The worse of two instances of one anchor, with the near misses of both. */
export function worseOf(a: InstanceVerdict, b: InstanceVerdict): InstanceVerdict {
  const [worse, other] = isWorse(b, a) ? [b, a] : [a, b];
  const same = worse.verdict === other.verdict;
  // One final violation is enough; everything else needs both parts to be settled.
  const final =
    worse.verdict === "violated" ? worse.final || (same && other.final) : worse.final && other.final;
  return {
    ...worse,
    final,
    nearMisses: [...worse.nearMisses, ...other.nearMisses.filter((miss) => !isListed(miss, worse))],
  };
}

function isListed(miss: InstanceVerdict["nearMisses"][number], found: InstanceVerdict): boolean {
  return found.nearMisses.some((known) => known.event === miss.event);
}

function isWorse(a: InstanceVerdict, b: InstanceVerdict): boolean {
  const [x, y] = [severity.get(a.verdict) ?? 0, severity.get(b.verdict) ?? 0];
  return x !== y ? x < y : rankOf(a.code) < rankOf(b.code);
}

/** `not_co_existence`: two links that forbid each other's events beside each other. */
function forbidBothWays(parts: readonly Program[]): boolean {
  const links = parts.filter((part): part is Link => part.kernel === "link");
  const [first, second] = links;
  if (first === undefined || second === undefined || links.length !== 2) return false;
  const forbids = (link: Link): boolean => link.need === "any" && link.quant === "none";
  return (
    forbids(first) &&
    forbids(second) &&
    first.anchor.text === second.witness.text &&
    first.witness.text === second.anchor.text
  );
}

/** Each forbidden pair counts once, on the later of its two events: an anchor that only later ones break is dropped. */
function onTheLater(
  parts: readonly (readonly InstanceVerdict[])[],
  kernel: Kernel,
): readonly (readonly InstanceVerdict[])[] {
  const place = new Map(kernel.index.events.map((event, i) => [event.id, i]));
  const at = ({ anchor }: InstanceVerdict): number => place.get(anchor ?? "") ?? -1;
  // Without an anchor it is no pair: that none of them came at all.
  const broken = (found: InstanceVerdict): boolean => found.verdict === "violated" && found.anchor !== null;
  return parts.map((part, i) => {
    const earliest = new Map<string, number>();
    for (const found of parts.flatMap((other, j) => (j === i ? [] : other)).filter(broken)) {
      earliest.set(found.key, Math.min(at(found), earliest.get(found.key) ?? Number.POSITIVE_INFINITY));
    }
    return part.filter((found) => !broken(found) || at(found) > (earliest.get(found.key) ?? -1));
  });
}
