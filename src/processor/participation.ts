import type { Event } from "../model/event.ts";
import type { Truth } from "../model/order.ts";
import { compilePattern, type Match } from "../rules/match.ts";
import { anyEvent, type Pattern } from "../rules/pattern.ts";
import type { Contract } from "../rules/rule.ts";

/**
 * Whether a contract takes part in a scope (docs/rules.md#taking-part): one event that matches
 * `applies_to`, or, without that, one event that any of its patterns is about. Unknown while a field that
 * decides it may still be inherited from a span to come: then its rules run, and nothing is published.
 */
export type TakesPart = (events: readonly Event[], closed: boolean) => Truth;

export function compileParticipation(contract: Contract): TakesPart {
  const patterns = contract.appliesTo.length > 0 ? [appliesTo(contract)] : contract.participants;
  const tests = patterns.map((pattern) => compilePattern(pattern));
  const roots =
    contract.appliesTo.length > 0 ? contract.appliesTo.map(({ path: [root = ""] }) => root) : ["name"];

  return (events, closed) => {
    let unknown = false;
    for (const event of events) {
      if (tests.some((test) => matches(test(event)))) return "true";
      unknown ||= !closed && roots.some((root) => event.unsettled.has(root));
    }
    return unknown ? "unknown" : "false";
  };
}

const matches = ({ truth }: Match): boolean => truth === "true";

/** Any life of an event makes the contract take part, also one that was only asked for. */
function appliesTo({ appliesTo, name }: Contract): Pattern {
  return { ...anyEvent, tests: appliesTo, namesStatus: true, text: `applies_to of ${name}` };
}
