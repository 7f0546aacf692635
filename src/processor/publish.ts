import type { Event } from "../model/event.ts";
import type { Output, RecordRef, RuleRef, ScopeRef, ViolationRecord } from "../model/output.ts";
import { type DurationNano, since, toSeconds, type UnixNano } from "../model/time.ts";
import type { Action, InstanceVerdict, RuleVerdict, Severity, Verdict } from "../model/verdict.ts";
import type { Rule } from "../rules/rule.ts";
import { type Alerts, lower, raise } from "./alert.ts";
import { keyOf } from "./assemble/graph.ts";
import { rejectedStep } from "./count-rejections.ts";
import type { EvaluatedRule } from "./evaluate.ts";
import { verdictId } from "./identity.ts";
import type { Run } from "./run/run-table.ts";
import type { JudgedScope } from "./scopes.ts";

/**
 * What was published, and the step from one final verdict to the next. Counters move only from final to
 * final; a changed final verdict is a revision, never a silent edit, and an id is counted as a violation once
 * in its life (docs/semantics.md 9, "Counting").
 *
 * Only violated and inconclusive verdicts are remembered: a satisfied one that later turns out violated is
 * simply the first violation of its id.
 */
export interface Ledger {
  readonly published: Map<string, Published>;
}

interface Published {
  readonly rule: RuleRef;
  readonly revision: string;
  readonly scope: ScopeRef;
  readonly alerts: boolean;
  /** What stands now. */
  verdict: "violated" | "inconclusive" | "other";
  everViolated: boolean;
  instance: InstanceVerdict;
  /** How many records were made of it. */
  records: number;
  /** The newest of them; before there is one, that of the id which was merged into this one. */
  record: string | null;
}

export function createLedger(): Ledger {
  return { published: new Map() };
}

export interface PublishInput {
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly scope: JudgedScope;
  readonly evaluated: EvaluatedRule;
  readonly events: ReadonlyMap<string, Event>;
  readonly now: UnixNano;
  /** Collects every id that is still an instance, so that the vanished ones can be told. */
  readonly seen: Set<string>;
  /** What published ids live and are forgotten with; by default the run of the anchor, else the scope's first. */
  readonly owner?: Owner;
}

/** A run, or a key of a wide scope. */
export interface Owner {
  readonly published: Set<string>;
}

export function publish(input: PublishInput): Output[] {
  const { evaluated, scope, seen } = input;
  const { rule } = evaluated.indexed;
  const outputs: Output[] = [];
  const owners: readonly Owner[] = input.owner === undefined ? scope.runs : [input.owner];
  const published = owners.some((owner) => owner.published.size > 0);
  for (const instance of evaluated.result.instances) {
    // What never closes is never finally satisfied: there a satisfaction of the moment takes a violation back.
    const settles = instance.final || (input.owner !== undefined && instance.verdict === "satisfied");
    const news = settles && evaluated.publishable;
    // The id is a hash: it is only made where it can be new, or where something published has to be found.
    if (!published && !(news && kept(instance.verdict) !== "other")) continue;
    const id = verdictId(rule, scope, instance, input.events);
    seen.add(id);
    if (news) outputs.push(...settle(input, rule, id, instance));
  }
  return outputs;
}

function settle(input: PublishInput, rule: Rule, id: string, instance: InstanceVerdict): Output[] {
  const { ledger } = input;
  const known = ledger.published.get(id);
  const next = kept(instance.verdict);
  if (known === undefined) {
    if (next === "other") return [];
    const entry: Published = {
      rule: ruleRef(rule),
      revision: rule.revision,
      scope: { scope: input.scope.is, key: input.scope.key },
      alerts: rule.stage === "enforced" && rule.class === "invariant",
      verdict: "other",
      everViolated: false,
      instance,
      records: 0,
      record: mergedRecord(input, rule, instance),
    };
    ledger.published.set(id, entry);
    (input.owner ?? ownerOf(input.scope, instance, input.events))?.published.add(id);
    return [...latency(input, instance), ...change(input, rule, id, entry, instance)];
  }
  if (known.verdict === next) {
    known.instance = instance;
    return [];
  }
  return change(input, rule, id, known, instance);
}

function change(
  { alerts, scope, events, now, evaluated }: PublishInput,
  rule: Rule,
  id: string,
  entry: Published,
  found: InstanceVerdict,
): Output[] {
  const outputs: Output[] = [];
  const before = entry.verdict;
  const after = kept(found.verdict);
  const instance = after === "other" ? found : withNearMisses(found, evaluated.explained());
  entry.verdict = after;
  entry.instance = instance;
  const at = { rule: entry.rule, scope: entry.scope, id, instance, at: now };
  if (before === "violated" || (before === "inconclusive" && after === "other")) {
    const change = before === "violated" ? "withdrawn" : "settled";
    outputs.push({ type: "revision", change, ...at, ...nextRecord(entry, id) });
  }
  if (before !== "other" && entry.alerts) outputs.push(...lower(alerts, entry.rule, before, id));
  if (after === "violated") {
    const which = nextRecord(entry, id);
    if (entry.everViolated) outputs.push({ type: "revision", change: "reinstated", ...at, ...which });
    else {
      const record = { ...recordOf(rule, scope, id, instance, events, now), ...which };
      outputs.push({ type: "violation", record }, ...rejectedStep(rule, instance));
    }
    entry.everViolated = true;
    if (entry.alerts) outputs.push(...raise(alerts, entry.rule, "violated", id, now));
  }
  if (after === "inconclusive") {
    outputs.push({ type: "inconclusive", ...at, ...nextRecord(entry, id) });
    if (entry.alerts && rule.severity === "critical") {
      outputs.push(...raise(alerts, entry.rule, "inconclusive", id, now));
    }
  }
  return outputs;
}

/** Every statement about an id is a record of its own, which names the one that it replaces. */
function nextRecord(entry: Published, id: string): RecordRef {
  entry.records += 1;
  const record = `${id}.${entry.records}`;
  const supersedes = entry.record;
  entry.record = record;
  return { record, supersedes };
}

/** What was said of a span while it was not yet known to be part of this call. */
function mergedRecord(
  { ledger, scope, events }: PublishInput,
  rule: Rule,
  instance: InstanceVerdict,
): string | null {
  const event = instance.anchor === null ? undefined : events.get(instance.anchor);
  for (const { traceId, spanId } of event?.spans ?? []) {
    const anchor = keyOf(traceId, spanId);
    const known = ledger.published.get(verdictId(rule, scope, { ...instance, anchor }, events));
    if (anchor !== instance.anchor && known !== undefined) return known.record;
  }
  return null;
}

function withNearMisses(found: InstanceVerdict, explained: RuleVerdict): InstanceVerdict {
  return (
    explained.instances.find(
      ({ anchor, key, verdict }) => anchor === found.anchor && key === found.key && verdict === found.verdict,
    ) ?? found
  );
}

/**
 * Takes back what is no longer an instance of its rule: its span was merged into another call, its contract
 * no longer takes part, or its scope turned out to be another one.
 */
export function withdrawVanished(
  ledger: Ledger,
  alerts: Alerts,
  owners: readonly Owner[],
  seen: ReadonlySet<string>,
  stillTakesPart: (contract: string) => boolean,
  now: UnixNano,
): Output[] {
  const outputs: Output[] = [];
  for (const owner of owners) {
    for (const id of owner.published) {
      const entry = ledger.published.get(id);
      if (entry === undefined || seen.has(id) || entry.verdict === "other") continue;
      const was = entry.verdict;
      entry.verdict = "other";
      if (entry.alerts) outputs.push(...lower(alerts, entry.rule, was, id));
      const taken = stillTakesPart(entry.rule.contract) ? "merged" : "withdrawn";
      outputs.push({
        type: "revision",
        rule: entry.rule,
        scope: entry.scope,
        id,
        change: was === "violated" ? taken : "settled",
        instance: entry.instance,
        at: now,
        ...nextRecord(entry, id),
      });
    }
  }
  return outputs;
}

/** Frees the entries of a run or key that is forgotten: what stands then stands for good. */
export function forgetPublished(ledger: Ledger, owner: Owner): void {
  for (const id of owner.published) ledger.published.delete(id);
  owner.published.clear();
}

function kept(verdict: Verdict): Published["verdict"] {
  return verdict === "violated" || verdict === "inconclusive" ? verdict : "other";
}

/** The run that a published id lives and is forgotten with: that of its anchor, else the scope's first. */
function ownerOf(
  scope: JudgedScope,
  instance: InstanceVerdict,
  events: ReadonlyMap<string, Event>,
): Run | undefined {
  const traceId = instance.anchor === null ? null : events.get(instance.anchor)?.run;
  return scope.runs.find((run) => run.traceId === traceId) ?? scope.runs[0];
}

function latency({ events, now }: PublishInput, { anchor }: InstanceVerdict): Output[] {
  const event = anchor === null ? undefined : events.get(anchor);
  if (event === undefined) return [];
  const waited: DurationNano = since(now, event.arrivedAt);
  return [{ type: "duration", of: "decision_latency", seconds: toSeconds(waited) }];
}

function recordOf(
  rule: Rule,
  scope: JudgedScope,
  id: string,
  instance: InstanceVerdict,
  events: ReadonlyMap<string, Event>,
  now: UnixNano,
): Omit<ViolationRecord, keyof RecordRef> {
  const anchor = instance.anchor === null ? scope.events[0] : events.get(instance.anchor);
  return {
    ...ruleRef(rule),
    scope: scope.is,
    key: scope.key,
    id,
    ruleRevision: rule.revision,
    action: actionOf(rule, "violated"),
    title: rule.title,
    expected: rule.expected,
    why: rule.why,
    traceId: anchor?.run ?? scope.runs[0]?.traceId ?? scope.key,
    conversation: anchor?.conversation ?? null,
    service: text(anchor, "service"),
    agent: text(anchor, "agent"),
    instance,
    at: now,
  };
}

function text(event: Event | undefined, field: string): string | null {
  const value = event?.fields.get(field);
  return typeof value === "string" ? value : null;
}

export function ruleRef({ contract, id, severity, category }: Rule): RuleRef {
  return { contract, rule: id, severity, category };
}

const actions: Readonly<Record<Severity, Action>> = {
  critical: "block",
  high: "block_or_approve",
  medium: "warn",
  low: "record",
};

/** What a reader should do about a verdict. Source: docs/semantics.md 8. */
export function actionOf(rule: Rule, verdict: Verdict): Action {
  if (verdict === "inconclusive") {
    return rule.severity === "critical" && rule.class === "invariant" && rule.stage === "enforced"
      ? "block_or_approve"
      : "none";
  }
  if (verdict !== "violated" || rule.stage === "trial") return "none";
  return rule.class === "preference" ? "record" : actions[rule.severity];
}
