import type { Event } from "../model/event.ts";
import type { Action, InstanceVerdict } from "../model/verdict.ts";
import { compareAll } from "../rules/comparison.ts";
import { compilePattern } from "../rules/match.ts";
import type { Path, Pattern, ValueTest } from "../rules/pattern.ts";
import { type Link, linksOf, type Program } from "../rules/program.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { placeOf } from "../timeline/slice.ts";
import type { TimelineLink, TimelineRule } from "../timeline/view-model.ts";

/** A compiled rule in the plain words of the timeline; of a rule with several links, the one about this anchor. */
export function timelineRule(
  contract: Contract,
  rule: Rule,
  action: Action,
  instance: InstanceVerdict,
  events: readonly Event[],
): TimelineRule {
  return {
    contract: contract.name,
    id: rule.id,
    title: rule.title,
    severity: rule.severity,
    action,
    category: rule.category,
    expected: rule.expected,
    why: rule.why,
    kinds: rule.kinds,
    link: linkAbout(rule.program, instance, events),
  };
}

function linkAbout(
  program: Program,
  instance: InstanceVerdict,
  events: readonly Event[],
): TimelineLink | null {
  const links = linksOf(program);
  const anchor = events.find(({ id }) => id === instance.anchor);
  const about =
    anchor === undefined
      ? links[0]
      : (links.find((link) => compilePattern(link.anchor)(anchor).truth === "true") ?? links[0]);
  if (about === undefined) return null;
  const nearest = instance.witness ?? instance.nearMisses[0]?.event;
  const witness = events.find(({ id }) => id === nearest);
  const blockers =
    anchor === undefined || witness === undefined
      ? []
      : events.filter((b) => mayBreak(about, anchor, witness, b));
  return plainLink(about, new Set(blockers.map(({ id }) => id)));
}

/** Whether an event stands between the two and is one that breaks the line; only to mark a row, the verdict stands. */
function mayBreak(link: Link, a: Event, w: Event, b: Event): boolean {
  if (b.id === a.id || b.id === w.id || !liesBetween(a, w, b)) return false;
  return link.unlessBetween.some(
    (blocker) =>
      compilePattern(blocker.match)(b).truth !== "false" &&
      compareAll(blocker.where, { a, w, b }, true).truth !== "false",
  );
}

function liesBetween(a: Event, w: Event, b: Event): boolean {
  const [first, last] = [placeOf(a), placeOf(w)].sort((x, y) => ((x ?? 0n) < (y ?? 0n) ? -1 : 1));
  const at = placeOf(b);
  return at !== null && first != null && last != null && first <= at && at <= last;
}

function plainLink(link: Link, blockers: ReadonlySet<string>): TimelineLink {
  return {
    anchor: nameOf(link.anchor),
    witness: nameOf(link.witness),
    need: link.need,
    quant: link.quant,
    bind: link.bind,
    witnessPaths: pathsOf(link.witness),
    within: link.within !== null,
    blockers,
  };
}

/** The name alone where the pattern has one: `expected` says the rest. */
function nameOf(pattern: Pattern): string {
  return pattern.name?.op === "equals" && typeof pattern.name.value === "string"
    ? pattern.name.value
    : pattern.text;
}

function pathsOf(pattern: Pattern): readonly Path[] {
  return [
    ...pattern.tests.flatMap(({ path, test }) => testPaths(path, test)),
    ...pattern.anyOf.flatMap(pathsOf),
    ...(pattern.not === null ? [] : pathsOf(pattern.not)),
  ];
}

function testPaths(path: Path, test: ValueTest): readonly Path[] {
  if (test.op === "fields")
    return test.fields.flatMap((field) => testPaths([...path, ...field.path], field.test));
  return [path];
}
