import type { Event } from "../model/event.ts";
import type { Action } from "../model/verdict.ts";
import { compilePattern } from "../rules/match.ts";
import type { Path, Pattern, ValueTest } from "../rules/pattern.ts";
import type { Link, Program } from "../rules/program.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import type { TimelineLink, TimelineRule } from "../timeline/view-model.ts";

/** A compiled rule in the plain words of the timeline; of a rule with several links, the one about this anchor. */
export function timelineRule(
  contract: Contract,
  rule: Rule,
  action: Action,
  anchor: Event | undefined,
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
    link: linkAbout(rule.program, anchor),
  };
}

function linkAbout(program: Program, anchor: Event | undefined): TimelineLink | null {
  const links = linksOf(program);
  const about =
    anchor === undefined
      ? links[0]
      : (links.find((link) => compilePattern(link.anchor)(anchor).truth === "true") ?? links[0]);
  return about === undefined ? null : plainLink(about);
}

function linksOf(program: Program): readonly Link[] {
  switch (program.kernel) {
    case "link":
      return [program];
    case "fold":
      return program.parts.flatMap(linksOf);
    case "guard":
      return linksOf(program.then);
    default:
      return [];
  }
}

function plainLink(link: Link): TimelineLink {
  return {
    anchor: nameOf(link.anchor),
    witness: nameOf(link.witness),
    need: link.need,
    quant: link.quant,
    bind: link.bind,
    witnessPaths: pathsOf(link.witness),
    within: link.within !== null,
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
