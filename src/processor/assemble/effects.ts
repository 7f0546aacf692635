/**
 * Effect events of ordinary calls, for the tools that an effect ledger names (docs/effects.md): a call at its start,
 * what became of it at its end, and what intents, lookups, compensations and claims say. The field `ledger` says whose
 * they are, `event_id` which call they come from.
 *
 * A function of the events at hand, like all of `assemble`. Signals that say the same about a call by themselves go
 * before what is made of it here.
 *
 * Cost: linear in the events, times the ledgers.
 */
import type { Event } from "../../model/event.ts";
import type { Value } from "../../model/value.ts";
import { type EffectKind, type EffectLedger, effectKinds } from "../../rules/ledger.ts";
import type { ToolTraits } from "../../rules/rule.ts";
import { keyText } from "../../rules/values.ts";
import { type EffectFields, fieldsOfEffect, found } from "./effect-fields.ts";
import { dispositionOf, lookupOutcome, outcomeOf, plainOutcome } from "./effect-outcome.ts";
import { compileLedger, type LedgerTests, type Matched } from "./ledger-tests.ts";

export interface EffectContext {
  readonly ledgers: readonly EffectLedger[];
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** Nothing of the run can change any more. */
  readonly isClosed: (run: string) => boolean;
  /** The run is over, and its root never ended: the process behind it is gone. */
  readonly wasCutOff: (run: string) => boolean;
}

/** The same events, signals about effects with the one ledger that they can be about. */
export function withLedgers(events: readonly Event[], ledgers: readonly EffectLedger[]): readonly Event[] {
  if (ledgers.length === 0) return events;
  return events.map((event) => {
    if (!effectKinds.some((kind) => kind === event.kind) || event.fields.has("ledger")) return event;
    const [only, ...more] = ledgers.filter((ledger) => isOf(event, ledger));
    return only === undefined || more.length > 0 ? event : withField(event, "ledger", only.id);
  });
}

export function effectEvents(events: readonly Event[], context: EffectContext): readonly Event[] {
  if (context.ledgers.length === 0) return [];
  const told = toldBySignals(events);
  const taken = new Set<string>();
  return context.ledgers.flatMap((ledger) => {
    const tests = compileLedger(ledger);
    const tried = events.flatMap((event) => ofCall(event, ledger, tests, context, told));
    const made = [...tried, ...leftBehind([...events, ...tried], ledger, context)];
    const known = [...events, ...made];
    const asks = events.flatMap((event) => ofLookup(event, ledger, tests, known));
    const undone = events.flatMap((event) => ofCompensation(event, ledger, tests, made));
    // A call that two ledgers name is an effect of each.
    return [...made, ...asks, ...undone].map((event) => {
      const id = taken.has(event.id) ? `${event.id}@${ledger.id}` : event.id;
      taken.add(id);
      return id === event.id ? event : { ...event, id };
    });
  });
}

/** `<kind> <trace id>:<span id>` of the spans that carry, or enclose, a signal about an effect. */
function toldBySignals(events: readonly Event[]): ReadonlySet<string> {
  const told = new Set<string>();
  for (const { kind, spans, parent } of events) {
    if (kind !== "effect_call" && kind !== "effect_observed") continue;
    for (const span of parent === null ? spans : [...spans, parent])
      told.add(`${kind} ${span.traceId}:${span.spanId}`);
  }
  return told;
}

function ofCall(
  event: Event,
  ledger: EffectLedger,
  tests: LedgerTests,
  context: EffectContext,
  told: ReadonlySet<string>,
): readonly Event[] {
  const made: Event[] = [];
  const call = tests.tool(event);
  if (call !== null) made.push(...attempt(event, call, ledger, context, told));
  const intent = tests.intent(event);
  if (intent !== null && event.status === "success")
    made.push(effect("effect_intended", event, intent, ledger, {}));
  const claim = tests.claim(event);
  if (claim !== null) {
    const disposition = event.status === "success" ? dispositionOf(event, false) : "refused";
    const claimant = found(event, ledger, "claimant") ?? event.conversation ?? event.run;
    made.push(effect("claim", event, claim, ledger, { disposition, claimant }));
  }
  return made;
}

/** What was tried, over its whole time, and what became of it, at its end. */
function attempt(
  event: Event,
  matched: Matched,
  ledger: EffectLedger,
  context: EffectContext,
  told: ReadonlySet<string>,
): readonly Event[] {
  const over = context.isClosed(event.run);
  const running = event.end === "open";
  const disposition = dispositionOf(event, over);
  const signalled = (kind: EffectKind): boolean =>
    event.spans.some(({ traceId, spanId }) => told.has(`${kind} ${traceId}:${spanId}`));
  const made: Event[] = [];
  const call = effect("effect_call", event, matched, ledger, { disposition });
  // How a call that runs will end is not known yet: it may turn out to be no effect of its own.
  const unsettled = running && !over ? new Set([...call.unsettled, "disposition"]) : call.unsettled;
  if (!signalled("effect_call")) made.push({ ...call, unsettled });
  if ((running && !over) || signalled("effect_observed")) return made;
  const traits = context.tools.get(event.name ?? "");
  const { outcome, retryable } = outcomeOf(event, ledger, disposition, traits?.idempotent === true);
  const compensable = traits?.compensable ?? event.fields.get("compensable");
  const observed = effect("effect_observed", event, matched, ledger, {
    disposition,
    outcome,
    retryable,
    compensable: compensable ?? undefined,
    parents: [call.id],
  });
  // Nobody knew how a call went that never ended, from its start on.
  const at = running ? event.start : event.end;
  const open = event.unsettled.has("status") || event.unsettled.has("result");
  made.push({
    ...observed,
    start: at,
    end: at,
    unsettled: open
      ? new Set([...observed.unsettled, "outcome", "retryable", "disposition"])
      : observed.unsettled,
  });
  return made;
}

/**
 * Intents of a process that is gone. A span is sent when it ends, so whether the call was made is not known: its
 * outcome is unknown from the intent on.
 */
function leftBehind(
  events: readonly Event[],
  ledger: EffectLedger,
  { wasCutOff }: EffectContext,
): readonly Event[] {
  const own = events.filter((event) => event.fields.get("ledger") === ledger.id);
  const intents = own.filter(({ kind }) => kind === "effect_intended");
  const cutOff = new Set([...new Set(intents.map(({ run }) => run))].filter(wasCutOff));
  return intents.flatMap((intent) => {
    if (!cutOff.has(intent.run)) return [];
    const key = intent.fields.get("key");
    const seen = own.some(
      ({ kind, run, fields }) =>
        (kind === "effect_call" || kind === "effect_observed") &&
        run === intent.run &&
        sameKey(fields.get("key"), key),
    );
    if (seen || keyText(key) === null) return [];
    const told: Event = {
      ...intent,
      id: `${intent.id}#unknown`,
      kind: "effect_observed",
      start: intent.end,
      fields: new Map([...intent.fields, ["outcome", "unknown"], ["parents", [intent.id]]]),
    };
    return [{ ...told, fields: new Map([...told.fields].filter(([field]) => field !== "seq")), spans: [] }];
  });
}

/** What the provider said: of one key, or of every key of the request that was asked for. */
function ofLookup(
  event: Event,
  ledger: EffectLedger,
  tests: LedgerTests,
  known: readonly Event[],
): readonly Event[] {
  const matched = tests.lookup(event);
  if (matched === null || event.end === "open") return [];
  const own = { outcome: lookupOutcome(event, ledger, tests) };
  const lookup = effect("effect_lookup", event, matched, ledger, own);
  const [key, request] = [found(event, ledger, "key"), found(event, ledger, "request")];
  const effects = known.filter((one) => isOf(one, ledger) && one.kind.startsWith("effect_"));
  if (key !== null && request === null) {
    const asked = effects.find((one) => sameKey(one.fields.get("key"), key))?.fields.get("request");
    return [asked === undefined ? lookup : withField(lookup, "request", asked)];
  }
  if (key !== null || request === null) return [lookup];
  const keys = new Map<string, Value>();
  for (const { fields } of effects) {
    const each = fields.get("key");
    const text = keyText(each);
    if (each !== undefined && text !== null && sameKey(fields.get("request"), request)) keys.set(text, each);
  }
  if (keys.size === 0) return [lookup];
  return [...keys]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each], index) => ({
      ...withField(lookup, "key", each),
      id: index === 0 ? lookup.id : `${lookup.id}.${index + 1}`,
    }));
}

/** An effect that undoes another, which it names; `effect_key` is the key that one had. */
function ofCompensation(
  event: Event,
  ledger: EffectLedger,
  tests: LedgerTests,
  made: readonly Event[],
): readonly Event[] {
  const matched = tests.compensation(event);
  if (matched === null || event.end === "open") return [];
  const compensation = effect("compensation", event, matched, ledger, { outcome: plainOutcome(event) });
  const id = compensation.fields.get("effect");
  const undone = made.find(
    ({ kind, fields }) => kind === "effect_observed" && sameKey(fields.get("effect"), id),
  );
  const key = undone?.fields.get("key");
  return [key === undefined ? compensation : withField(compensation, "effect_key", key)];
}

const isOf = ({ fields, name }: Event, { id, toolName }: EffectLedger): boolean => {
  const ledger = fields.get("ledger");
  if (ledger !== undefined) return ledger === id;
  return name === null || (toolName?.op === "equals" && toolName.value === name);
};

const sameKey = (a: Value | undefined, b: Value | undefined): boolean =>
  keyText(a) !== null && keyText(a) === keyText(b);

const withField = (event: Event, field: string, value: Value): Event => ({
  ...event,
  fields: new Map([...event.fields, [field, value]]),
});

function effect(
  kind: EffectKind,
  event: Event,
  matched: Matched,
  ledger: EffectLedger,
  own: EffectFields,
): Event {
  const { fields, hidden, unsettled } = fieldsOfEffect(kind, event, matched, ledger, own);
  return {
    ...event,
    id: `${event.id}#${kind}`,
    kind,
    fields,
    hidden,
    unsettled,
    callId: null,
    // The call owns its span: what names the span means the call.
    spans: [],
    parent: null,
    // The context of the call had to be there: so it started no earlier.
    links: [{ traceId: event.run, spanId: event.id }],
  };
}
