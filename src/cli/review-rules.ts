/** What the rules of a contract say about one tool: what stands before it, and who speaks of it at all. */
import { accepts } from "../rules/lint-cover.ts";
import type { Pattern } from "../rules/pattern.ts";
import type { Link, Machine, Program } from "../rules/program.ts";
import { patternsOf } from "../rules/reads.ts";
import type { Rule, ToolTraits } from "../rules/rule.ts";
import { toolKinds } from "../rules/words.ts";

/** A rule that lets a tool run only after something else. */
export interface Gate {
  readonly rule: Rule;
  /** What must have happened; null where a machine's state is the gate. */
  readonly witness: Pattern | null;
  readonly link: Link | null;
  readonly text: string;
}

/** Whether a pattern speaks of calls of this tool by name. */
export function namesTool(pattern: Pattern, tool: string): boolean {
  if (pattern.anyOf.some((branch) => namesTool(branch, tool))) return true;
  const callable = pattern.kinds === null || [...pattern.kinds].some((kind) => toolKinds.has(kind));
  return callable && pattern.name !== null && accepts(pattern.name, ["name"], tool);
}

export const mentions = (rule: Rule, tool: string): boolean =>
  patternsOf(rule.program).some((pattern) => namesTool(pattern, tool));

/** Every rule that stands before the tool, whatever else it asks. */
export function gatesBefore(rules: readonly Rule[], tool: string): readonly Gate[] {
  return rules.flatMap((rule) => [
    ...demandsOf(rule.program)
      .filter(({ anchor }) => namesTool(anchor, tool))
      .map((link) => ({ rule, witness: link.witness, link, text: `after ${link.witness.text}` })),
    ...machinesIn(rule.program).flatMap((machine) => stateGate(rule, machine, tool)),
  ]);
}

function stateGate(rule: Rule, machine: Machine, tool: string): readonly Gate[] {
  const steps = machine.transitions.filter(({ on }) => namesTool(on, tool));
  if (steps.length === 0 || steps.some(({ from }) => from === machine.initial)) return [];
  const states = [...new Set(steps.map(({ from }) => from))].join(" or ");
  return [{ rule, witness: null, link: null, text: `only in state ${states}` }];
}

/** Links that ask for something earlier. */
export function demandsOf(program: Program): readonly Link[] {
  switch (program.kernel) {
    case "link":
      return program.need === "past" && program.quant === "some" ? [program] : [];
    case "fold":
      return program.parts.flatMap(demandsOf);
    case "guard":
    case "stretch":
      return demandsOf(program.then);
    default:
      return [];
  }
}

function machinesIn(program: Program): readonly Machine[] {
  switch (program.kernel) {
    case "machine":
      return [program];
    case "fold":
      return program.parts.flatMap(machinesIn);
    case "guard":
    case "stretch":
      return machinesIn(program.then);
    default:
      return [];
  }
}

/** The condition of a rule that speaks of a branch only. */
export function branchOf(program: Program): Pattern | null {
  return program.kernel === "guard"
    ? program.if
    : program.kernel === "stretch"
      ? branchOf(program.then)
      : null;
}

/** Whether a pattern says which outcome of a call counts. */
export function namesOutcome(pattern: Pattern): boolean {
  if (pattern.anyOf.length > 0 && pattern.anyOf.every(namesOutcome)) return true;
  if (pattern.kinds !== null && ![...pattern.kinds].some((kind) => toolKinds.has(kind))) return true;
  return (
    pattern.namesStatus || pattern.tests.some(({ path: [root] }) => root === "status" || root === "result")
  );
}

export const acts = (traits: ToolTraits | undefined): boolean =>
  traits?.effect === "external" || traits?.effect === "write";

/** Only enforced invariants stop anything. */
export const isEnforced = (rule: Rule): boolean => rule.class === "invariant" && rule.stage === "enforced";

export const ruleName = (rule: Rule): string => `${rule.id}, ${rule.severity}`;
