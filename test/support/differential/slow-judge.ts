/**
 * What a rule says of a whole trace, once all of it has come and every run is closed: every pair of events, every
 * way in which what is not known could be, strong Kleene logic, nothing kept from one question to the next.
 * Shares no code with `src/rules`, nor with the order and the assembly of `src/processor`.
 */
import type { Truth } from "../../../src/model/order.ts";
import type { EventSpec, PatternSpec, PolicySpec, RuleSpec, TraceSpec } from "./language.ts";
import { judgeCount } from "./slow-count.ts";
import { judgeApart, judgeLink } from "./slow-link.ts";
import { judgeMachine } from "./slow-machine.ts";
import { and, keyOf, matches, or, sameKeys } from "./slow-match.ts";
import { endOf, type SlowOrder, slowOrder, startOf } from "./slow-order.ts";

export type SlowVerdict = "satisfied" | "violated" | "inconclusive";

export interface SlowInstance {
  readonly verdict: SlowVerdict;
  /** Undefined where the meaning of contracts leaves the code open. */
  readonly code?: string;
}

/** What a rule sees: the events of one scope, how they are ordered, and of which of them it speaks. */
export interface Seen {
  readonly events: readonly EventSpec[];
  readonly order: SlowOrder;
  /** The order of those of one key: over `all`, what is of other keys is no evidence. */
  readonly orderOfKey: (events: readonly EventSpec[]) => SlowOrder;
  readonly member: (event: EventSpec) => Truth;
}

export interface SlowScope {
  /** Run, conversation, entity, or `all`. */
  readonly key: string;
  readonly verdict: SlowVerdict | "vacuous";
  /** By event id of the anchor, else `key <text>`; `none` where the rule asks to be exercised. */
  readonly instances: ReadonlyMap<string, SlowInstance>;
}

export function slowJudge(rule: RuleSpec, { events: told, policy }: TraceSpec): readonly SlowScope[] {
  const events = told.map((event) => ({ ...event, seq: decisionOf(event, told) }));
  const own: PolicySpec = { ...policy, ...rule.clock };
  return [...scopesOf(rule, events)].map(([key, inside]) => {
    const order = slowOrder(inside, own, policy);
    const apart = rule.scope.is === "all" && rule.kind === "count" && rule.bind.length > 0;
    const orderOfKey = (ofKey: readonly EventSpec[]): SlowOrder =>
      apart ? slowOrder(ofKey, own, policy) : order;
    const member = memberOf(rule, inside, order);
    const found = judgeBody(rule, { events: inside, order, orderOfKey, member });
    const instances = new Map([...found].map(([id, one]) => [id, spoken(rule, one)]));
    if (instances.size === 0 && rule.mustApply) {
      instances.set("none", { verdict: "violated", code: "anchor_missing" });
    }
    return { key, verdict: worst([...instances.values()].map(({ verdict }) => verdict)), instances };
  });
}

/** What a span does not say, the one around it says, unless that is a call: what goes on in there is decided anew. */
function decisionOf({ seq, run, parent }: EventSpec, events: readonly EventSpec[]): number | null {
  const around = events.find((event) => event.id === parent && event.run === run);
  if (seq !== null || around === undefined) return seq;
  return around.kind === "tool_call" || around.kind === "retrieval" ? null : decisionOf(around, events);
}

function judgeBody(rule: RuleSpec, seen: Seen): ReadonlyMap<string, SlowInstance> {
  switch (rule.kind) {
    case "link":
      return judgeLink(rule, seen);
    case "apart":
      return judgeApart(rule, seen);
    case "count":
      return judgeCount(rule, seen);
    case "machine":
      return judgeMachine(rule, seen);
  }
}

function spoken({ onUnknown }: RuleSpec, found: SlowInstance): SlowInstance {
  if (found.verdict !== "inconclusive" || onUnknown === "inconclusive") return found;
  return { verdict: onUnknown === "violate" ? "violated" : "satisfied" };
}

function worst(verdicts: readonly SlowVerdict[]): SlowScope["verdict"] {
  return (
    (["violated", "inconclusive", "satisfied"] as const).find((one) => verdicts.includes(one)) ?? "vacuous"
  );
}

/** A run that names no conversation is one by itself. */
function scopesOf(rule: RuleSpec, events: readonly EventSpec[]): Map<string, EventSpec[]> {
  const { scope } = rule;
  const scopes = new Map<string, EventSpec[]>();
  // Zero is a number, also where nothing never ends.
  if (scope.is === "all" && rule.kind === "count" && rule.bind.length === 0) scopes.set("all", []);
  const put = (key: string, event: EventSpec): void => {
    scopes.set(key, [...(scopes.get(key) ?? []), event]);
  };
  for (const event of events) {
    if (scope.is === "run" || scope.is === "stretch") put(event.run, event);
    else if (scope.is === "conversation") put(event.conversation ?? event.run, event);
    // What never closes keeps only the events that the rule itself speaks of: others prove no order there.
    else if (patternsOf(rule).every((pattern) => matches(pattern, event) === "false")) continue;
    else if (scope.is === "all") put("all", event);
    else if (scope.is === "key") {
      const key = keyOf([scope.path], event);
      if (typeof key === "object") put(key.text, event);
    }
  }
  return scopes;
}

function patternsOf(rule: RuleSpec): readonly PatternSpec[] {
  switch (rule.kind) {
    case "link":
      return [rule.anchor, rule.witness, ...rule.unlessBetween.map(({ match }) => match)];
    case "machine":
      return rule.transitions.map(({ on }) => on);
    default:
      return [rule.of];
  }
}

/** Some P certainly finished before it starts, and it finishes before some Q starts: a tie puts nothing inside. */
function memberOf({ scope }: RuleSpec, events: readonly EventSpec[], order: SlowOrder): Seen["member"] {
  if (scope.is !== "stretch") return () => "true";
  const { after, before, bind } = scope;
  const some = (pattern: PatternSpec | null, event: EventSpec, lies: (edge: EventSpec) => Truth): Truth =>
    pattern === null
      ? "true"
      : or(
          ...events
            .filter((edge) => edge !== event)
            .map((edge) => and(matches(pattern, edge), sameKeys(bind, event, edge), lies(edge))),
        );
  return (event) =>
    and(
      some(after, event, (p) => order.before(endOf(p), startOf(event), "sure")),
      some(before, event, (q) => order.before(endOf(event), startOf(q), "sure")),
    );
}
