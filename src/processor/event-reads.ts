import type { Event } from "../model/event.ts";
import type { Operand, Path, Pattern, Side } from "../rules/pattern.ts";
import type { Link, Program } from "../rules/program.ts";
import { patternsOf, readsOf, readsOfPattern } from "../rules/reads.ts";
import type { Rule } from "../rules/rule.ts";
import { type Keys, patternKeys } from "./rule-index.ts";

/**
 * What a rule reads of one event, by the side on which it can stand: of an anchor not what only witnesses are asked.
 * A call that still runs has no result yet; where only the witness's is read, that need not be waited for.
 */
export function readsByEvent(rule: Rule, always: ReadonlySet<string>): (event: Event) => ReadonlySet<string> {
  const roles = rolesOf(rule.program).map(({ pattern, paths }) => ({
    keys: patternKeys(pattern),
    roots: new Set(paths.map(([root = ""]) => root)),
  }));
  return (event) => {
    const roots = new Set(always);
    for (const role of roles) {
      if (!mayStand(event, role.keys)) continue;
      for (const root of role.roots) roots.add(root);
    }
    return roots;
  };
}

function mayStand(event: Event, keys: Keys | null): boolean {
  if (keys === null || event.name === null || event.unsettled.has("name")) return true;
  return keys.names.has(event.name) || keys.kinds.has(event.kind);
}

interface Role {
  readonly pattern: Pattern;
  readonly paths: readonly Path[];
}

function rolesOf(program: Program): readonly Role[] {
  switch (program.kernel) {
    case "link":
      return rolesOfLink(program);
    case "fold":
      return program.parts.flatMap(rolesOf);
    case "guard":
      return [{ pattern: program.if, paths: readsOfPattern(program.if) }, ...rolesOf(program.then)];
    case "stretch": {
      // What its edges bind to may stand on either side.
      const bound = program.bind.flatMap(({ anchor, witness }) => [anchor, witness]);
      const inner = rolesOf(program.then).map((role) => ({ ...role, paths: [...role.paths, ...bound] }));
      const edges = [program.after, program.before].filter((each) => each !== null);
      return [
        ...edges.map((pattern) => ({ pattern, paths: [...readsOfPattern(pattern), ...bound] })),
        ...inner,
      ];
    }
    default:
      return patternsOf(program).map((pattern) => ({ pattern, paths: readsOf(program) }));
  }
}

function rolesOfLink(link: Link): readonly Role[] {
  const comparisons = [...link.where, ...link.unlessBetween.flatMap(({ where }) => where)];
  const operands: Operand[] = comparisons.flatMap(({ left, right }) => [left, right]);
  if (link.validUntil !== null) operands.push(link.validUntil.operand);
  const of = (side: Side): readonly Path[] =>
    operands.flatMap((operand) => ("side" in operand && operand.side === side ? [operand.path] : []));
  const shared = link.need === "apart" ? readsOf(link) : [];
  const anchorKey = link.bind.map(({ anchor }) => anchor);
  const witnessKey = link.bind.flatMap(({ witness, witnessFirst = [] }) => [...witnessFirst, witness]);
  return [
    { pattern: link.anchor, paths: [...readsOfPattern(link.anchor), ...anchorKey, ...of("a"), ...shared] },
    { pattern: link.witness, paths: [...readsOfPattern(link.witness), ...witnessKey, ...of("w"), ...shared] },
    ...link.unlessBetween.map(({ match }) => ({
      pattern: match,
      paths: [...readsOfPattern(match), ...anchorKey, ...witnessKey, ...of("b")],
    })),
  ];
}
