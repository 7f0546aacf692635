/** The events that the checks of a ledger speak about, as patterns, and how they are put together. */
import type { Value } from "../../model/value.ts";
import { attemptWords, type EffectKind, type EffectLedger, neverEnded } from "../ledger.ts";
import { anyEvent, type Bind, type Comparison, type Path, type Pattern } from "../pattern.ts";
import type { Blocker } from "../program.ts";
import { oneValue, signal } from "./make-pattern.ts";

export type LedgerWords = ReturnType<typeof ledgerWords>;

/** `refusedApart`: a refused attempt reached nobody, and counts nowhere but among attempts. */
export function ledgerWords(ledger: EffectLedger, refusedApart: boolean) {
  const event = (kinds: readonly EffectKind[], text: string, tests: Pattern["tests"] = []): Pattern => ({
    ...anyEvent,
    kinds: new Set(kinds),
    tests,
    anyOf: ownEvents(ledger),
    text: `${text} of ${ledger.tool.text}`,
  });
  const call = event(["effect_call"], "call");
  const counts = refusedApart ? attemptWords : attemptWords.filter((word) => word !== "refused");
  return {
    call,
    /** Calls that reached, or may have reached, the provider. */
    attempt: isNot(call, "disposition", counts),
    /** The same, of those that have an end. */
    inFlight: isNot(call, "disposition", [...counts, neverEnded]),
    refused: event(["effect_call"], "refused call", [is("disposition", "refused")]),
    refusedAndDone: event(["effect_observed"], "refused call with an effect", [
      is("disposition", "refused"),
      has("provider_id"),
    ]),
    intent: event(["effect_intended"], "intent"),
    done: isNot(
      event(["effect_observed"], "done effect", [is("outcome", "ok")]),
      "disposition",
      attemptWords,
    ),
    unknown: event(["effect_observed"], "unknown outcome", [is("outcome", "unknown")]),
    final: event(["effect_observed"], "final failure", [is("outcome", "failed"), is("retryable", false)]),
    settled: event(["effect_observed"], "known outcome", [known]),
    /** What tells for good how an effect ended. */
    told: event(["effect_observed", "effect_lookup"], "known outcome or lookup", [known]),
    lookup: isNot(event(["effect_lookup"], "lookup"), "outcome", ["unknown"]),
    found: event(["effect_lookup"], "lookup that found it", [is("outcome", "ok"), has("provider_id")]),
    undoable: event(["effect_observed"], "done effect that can be undone", [
      is("outcome", "ok"),
      is("compensable", true),
    ]),
    undone: event(["compensation"], "done compensation", [is("outcome", "ok")]),
    compensation: event(["compensation"], "compensation"),
    claim: isNot(event(["claim"], "claim"), "disposition", attemptWords),
  } as const;
}

/** Events that the ledger made, and signals that name its tool or name none. */
export function ownEvents({ id, toolName }: EffectLedger): readonly Pattern[] {
  const nameless: Pattern = { ...anyEvent, absent: [["ledger"], ["name"]], text: "no name" };
  const named: Pattern = { ...anyEvent, name: toolName, absent: [["ledger"]], text: "its name" };
  const made: Pattern = { ...anyEvent, tests: [is("ledger", id)], text: id };
  return toolName === null ? [made, nameless] : [made, nameless, named];
}

export const is = (field: string, value: Value) =>
  ({ path: [field], test: { op: "equals", value } }) as const;

const has = (field: string) => ({ path: [field], test: { op: "exists", wanted: true } }) as const;

const known = { path: ["outcome"], test: oneValue(["ok", "failed"]) } as const;

function isNot(of: Pattern, field: string, values: readonly string[]): Pattern {
  const tests = values.map((value) => oneValue([value]));
  return {
    ...of,
    not: {
      ...anyEvent,
      tests: [{ path: [field], test: { op: "one_of", tests } }],
      text: values.join(" or "),
    },
  };
}

export const oneOf = (text: string, ...patterns: readonly Pattern[]): Pattern => ({
  ...anyEvent,
  kinds: patterns.some(({ kinds }) => kinds === null)
    ? null
    : new Set(patterns.flatMap(({ kinds }) => [...(kinds ?? [])])),
  anyOf: patterns,
  text,
});

export const same = (...fields: readonly string[]): readonly Bind[] =>
  fields.map((field) => ({ anchor: [field], witness: [field] }));

export const paths = (...fields: readonly string[]): readonly Path[] => fields.map((field) => [field]);

/** What excuses: it lies between, and shares a field with the anchor. */
export function about(match: Pattern, field: string, ofAnchor: string = field): Blocker {
  const where: Comparison = {
    left: { side: "b", path: [field] },
    op: "==",
    right: { side: "a", path: [ofAnchor] },
    text: `b.${field} == a.${ofAnchor}`,
  };
  return { match, where: [where], bound: false, code: "invalidated", inside: true };
}

export const answer: Pattern = signal("final_answer");
export const sagaFailed: Pattern = signal("saga_failed");
