/**
 * What every rule that looks back may say of its evidence: whose it is (`same`), how old it may be (`fresh`),
 * until when it holds (`expires`), and what ends its force (`consume`, `revoked_by`, `superseded_by`,
 * `until_version_change`, `revalidate_after`). All of it becomes the link's own conditions.
 */
import { readMap, readText } from "../map-reader.ts";
import { parsePath } from "../parse-path.ts";
import type { Bind, Comparison, Path, Pattern } from "../pattern.ts";
import type { Blocker } from "../program.ts";
import { pathInEvidence, pathInSignal, pathOfName, speaksOfCalls } from "./names.ts";
import type { LinkOptions } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";
import { spentBy } from "./spent.ts";

export interface PastOptions extends LinkOptions {
  /** What the evidence must carry: the version that a change is compared with. */
  readonly needs: readonly Path[];
}

export function pastOptions(rule: RuleParts, anchor: Pattern | null, witness: Pattern | null): PastOptions {
  const { reader } = rule;
  const plain = rule.linkOptions("past", "some", anchor);
  const bind = [...plain.bind, ...sameKeys(rule)];
  const fresh = reader.duration("fresh", rule.plainNumbersAreMilliseconds);
  refuseBoth(rule, "within", "fresh");
  const expires = readExpires(rule, witness);
  refuseBoth(rule, "valid_until", "expires");
  const versions = versionChanges(rule, "until_version_change", witness);
  const batch = reader.boolean("not_same_batch") === true ? [earlierDecision] : [];
  const where = [...plain.where, ...batch];
  const once = reader.word("consume", ["once"]) !== null;
  const unlessBetween = [
    ...plain.unlessBetween,
    ...(once && anchor !== null ? [spentBy(anchor, where)] : []),
    ...endedBy(rule, "revoked_by", true),
    ...endedBy(rule, "superseded_by", true),
    ...endedBy(rule, "revalidate_after", false),
    ...versions.map(({ blocker }) => blocker),
  ];
  return {
    ...plain,
    bind,
    where,
    within: plain.within ?? fresh,
    validUntil: plain.validUntil ?? expires,
    unlessBetween,
    needs: versions.map(({ path }) => path),
  };
}

/** Two calls of one decision prove nothing to each other. */
const earlierDecision: Comparison = {
  left: { side: "w", path: ["seq"] },
  op: "<",
  right: { side: "a", path: ["seq"] },
  text: "w.seq < a.seq",
};

function refuseBoth(rule: RuleParts, key: string, short: string): void {
  if (!rule.reader.has(key) || !rule.reader.has(short)) return;
  rule.reader.problems.error(
    rule.reader.rangeOf(short),
    "set-twice",
    `${key} and ${short} are two words for one thing`,
    "Keep one of them.",
  );
}

/** `same: [user_id, plan_id]`: what evidence and step must share, by short names or paths. */
export function sameKeys(rule: RuleParts, key = "same"): readonly Bind[] {
  return rule.listOf(key, (node) => {
    if (node.is === "map") return rule.pairOf(node, key);
    const name = readText(node, `an entry of "${key}"`, rule.reader.problems);
    const path = name === null ? null : pathOfName(rule, name, node);
    return path === null ? null : { anchor: path, witness: path };
  });
}

function readExpires(rule: RuleParts, witness: Pattern | null): LinkOptions["validUntil"] {
  const node = rule.reader.get("expires");
  const name = node === null ? null : readText(node, '"expires"', rule.reader.problems);
  const path = node === null || name === null ? null : pathInEvidence(rule, name, witness, node);
  return path === null ? null : { operand: { side: "w", path }, unit: rule.unit() };
}

/** Events that end the evidence's force. With `bound`, those of its own key alone. */
function endedBy(rule: RuleParts, key: string, bound: boolean): readonly Blocker[] {
  return rule.blockers(key, null, (node) => rule.eventOrKind(node)).map((blocker) => ({ ...blocker, bound }));
}

interface VersionChange {
  /** Where the evidence names the version that it is about. */
  readonly path: Path;
  readonly blocker: Blocker;
}

/** `{catalog_version: load_catalog.result.version}`: another version seen since ends the evidence's force. */
export function versionChanges(
  rule: RuleParts,
  key: string,
  witness: Pattern | null,
): readonly VersionChange[] {
  const { problems } = rule.reader;
  const node = rule.reader.get(key);
  const reader = node === null ? null : readMap(node, `"${key}"`, problems);
  return [...(reader?.node.entries.values() ?? [])].flatMap((entry): readonly VersionChange[] => {
    const signal = witness !== null && !speaksOfCalls(witness) && /^[\w-]+$/.test(entry.key);
    const path = signal
      ? pathInSignal(rule, entry.key)
      : pathOfName(rule, entry.key, { ...entry.value, range: entry.keyRange });
    const text = readText(entry.value, `"${entry.key}"`, problems);
    if (path === null || text === null) return [];
    const [, source, inside] = /^(.+?)\.((?:args|result|attr)\..+)$/.exec(text) ?? [];
    if (source === undefined || inside === undefined) {
      problems.error(
        entry.value.range,
        "bad-path",
        `"${text}" does not say which call shows the current ${entry.key}`,
        "Write the call and the path in it: load_catalog.result.version.",
      );
      return [];
    }
    const match = rule.read({
      is: "scalar",
      value: source,
      text: source,
      quoted: false,
      range: entry.value.range,
    });
    const seen = parsePath(inside, entry.value.range, rule.context.vocabulary, problems);
    if (match === null || seen === null) return [];
    const where: Comparison = {
      left: { side: "b", path: seen },
      op: "!=",
      right: { side: "w", path },
      text: `b.${seen.join(".")} != w.${path.join(".")}`,
    };
    return [{ path, blocker: { match, where: [where], bound: false, code: "invalidated" } }];
  });
}

/** The pattern, of events that carry these. */
export function having(pattern: Pattern, paths: readonly Path[]): Pattern {
  const tests = paths.map((path) => ({ path, test: { op: "exists", wanted: true } as const }));
  return tests.length === 0 ? pattern : { ...pattern, tests: [...pattern.tests, ...tests] };
}
