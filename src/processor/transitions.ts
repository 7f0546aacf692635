/**
 * What was decided about each event, put together from the verdicts and findings of a run as it stands. A function of
 * those alone, so that a run tells the same whenever it is asked.
 */
import { createHash } from "node:crypto";
import type { Event } from "../model/event.ts";
import type { DetectionOutput } from "../model/output.ts";
import type { Decision, Transition, TransitionRule } from "../model/transition.ts";
import { type InstanceVerdict, type Verdict, verdicts } from "../model/verdict.ts";
import { keyText } from "../rules/values.ts";
import { field, numberOf } from "./detect/currency.ts";
import type { JudgedRule, JudgedRun } from "./report.ts";

/** By run; the verdicts of wider scopes stand with the event that they judge, in whatever run. */
export function transitionsOf(runs: readonly JudgedRun[]): ReadonlyMap<string, readonly Transition[]> {
  const judged = new Map<string, Judged[]>();
  for (const run of runs) {
    for (const one of run.verdicts) {
      for (const instance of one.result.instances) {
        for (const [event, judgement] of judgements(one, instance)) push(judged, event, judgement);
      }
    }
  }
  const found = new Map<string, DetectionOutput[]>();
  for (const detection of runs.flatMap(({ detections }) => detections))
    push(found, detection.event, detection);
  return new Map(
    runs.map((run) => {
      const attempts = attemptsOf(run.events);
      const own = run.events.flatMap((event) => {
        const rules = judged.get(event.id) ?? [];
        const detections = found.get(event.id) ?? [];
        if (rules.length + detections.length === 0 && refusal(event) === null) return [];
        return [transitionOf(event, rules, detections, attempts.get(event) ?? null)];
      });
      return [run.run, own];
    }),
  );
}

interface Judged extends TransitionRule {
  readonly near: readonly string[];
}

/** What one instance says of which events: of its anchor, of each step of a machine, of what was counted too often. */
function judgements(
  { contract, rule }: JudgedRule,
  instance: InstanceVerdict,
): readonly (readonly [string, Judged])[] {
  const { anchor, witness, involved, verdict, code, reason, machine } = instance;
  const common = { rule: `${contract.name}/${rule.id}`, near: instance.nearMisses.map(({ event }) => event) };
  const said: Judged = {
    ...common,
    verdict,
    code,
    reason,
    witness,
    ...(machine !== undefined && { state: { was: machine.state, allowed: machine.allowed } }),
  };
  if (anchor !== null) return [[anchor, said]];
  if (machine === undefined && verdict !== "violated") return isMachine(rule.kind) ? involved.map(step) : [];
  if (machine === undefined) return involved.map((event) => [event, { ...said, witness: null }]);
  // The steps before the one that the state did not allow were allowed.
  const broken = verdict === "violated" ? witness : null;
  const at = broken === null ? involved.length : involved.indexOf(broken);
  return [
    ...involved
      .slice(0, at < 0 ? involved.length : at)
      .filter((event) => event !== broken)
      .map(step),
    ...(broken === null ? [] : [[broken, { ...said, witness: null }] as const]),
    ...(at < 0 ? [] : involved.slice(at + 1).map((event) => [event, { ...said, witness: broken }] as const)),
  ];

  function step(event: string): readonly [string, Judged] {
    const undecided = verdict === "inconclusive" || verdict === "pending";
    return [
      event,
      {
        ...common,
        near: [],
        verdict: undecided ? verdict : "satisfied",
        code: undecided ? code : null,
        reason: undecided ? reason : "the state allowed it",
        witness: null,
      },
    ];
  }
}

const machineKinds: ReadonlySet<string> = new Set([
  "machine",
  "phases",
  "sequence",
  "max_in_a_row",
  "retry_bound",
]);
const isMachine = (kind: string): boolean => machineKinds.has(kind);

function transitionOf(
  event: Event,
  judged: readonly Judged[],
  detections: readonly DetectionOutput[],
  attempt: number | null,
): Transition {
  const rules = [...judged].sort((a, b) => rank(a.verdict) - rank(b.verdict) || (a.rule < b.rule ? -1 : 1));
  const refused = refusal(event);
  const [worst] = rules;
  const decision = refused === null ? decisionOf(worst?.verdict) : "refused";
  const key = event.fields.get("key");
  const evidence = [
    ...rules.flatMap(({ witness, near, verdict }) => [
      ...(witness === null ? [] : [witness]),
      ...(verdict === "satisfied" ? [] : near),
    ]),
    ...detections.flatMap(({ by }) => by ?? []),
  ];
  return {
    event: event.id,
    run: event.run,
    kind: event.kind,
    name: event.name,
    at: startOf(event),
    stateVersion: field(event, "state_version") ?? field(event, "base_version"),
    node: field(event, "node"),
    decision,
    code: refused?.code ?? worst?.code ?? null,
    reason: reasonOf(refused, rules, detections),
    rules: rules.map(({ near: _near, ...rule }) => rule),
    evidence: [...new Set(evidence)],
    detections: detections.map(({ detector, reason }) => `${detector} ${reason}`),
    conflicts: detections.flatMap(({ conflict }) => conflict ?? []),
    effect: field(event, "effect_key") ?? field(event, "effect"),
    keyRef: keyText(key) === null ? null : keyReference(keyText(key) ?? ""),
    attempt,
    errorClass: field(event, "error_class"),
  };
}

const rank = (verdict: Verdict): number => verdicts.indexOf(verdict);

function decisionOf(verdict: Verdict | undefined): Decision {
  switch (verdict) {
    case "violated":
      return "violated";
    case "inconclusive":
    case "pending":
      return "inconclusive";
    default:
      return "allowed";
  }
}

interface Refusal {
  readonly code: string;
  readonly words: string;
}

/** Who or what said no, as far as the event tells. */
function refusal(event: Event): Refusal | null {
  const because = field(event, "rejection_reason");
  const told = because === null ? "" : `: ${because}`;
  if (event.kind === "reducer_rejected") {
    return { code: because ?? "rejected", words: `the agent's reducer rejected it${told}` };
  }
  if (event.status === "refused") {
    return { code: "refused", words: `a guard, a policy or a person refused it${told}` };
  }
  if (event.status === "rejected_invalid") {
    return { code: "rejected_invalid", words: `its name or arguments were refused before it ran${told}` };
  }
  if (field(event, "outcome") === "conflict") {
    return { code: "conflict", words: "its resource had moved on from the version that it named" };
  }
  return null;
}

function reasonOf(
  refused: Refusal | null,
  rules: readonly Judged[],
  detections: readonly DetectionOutput[],
): string {
  const broken = rules.filter(({ verdict }) => verdict !== "satisfied" && verdict !== "vacuous");
  const parts = [
    ...(refused === null ? [] : [refused.words]),
    ...broken.map(({ rule, code, reason }) => `${rule}${code === null ? "" : ` (${code})`}: ${reason}`),
    ...detections.map(({ detector, reason, evidence }) => `${detector} (${reason}): ${evidence.note}`),
  ];
  return parts.length === 0 ? `allowed by ${rules.map(({ rule }) => rule).join(", ")}` : parts.join("; ");
}

/** Keys are for providers to tell one request by; a reference only says that two events carry the same one. */
export const keyReference = (key: string): string =>
  createHash("sha256").update(key).digest("hex").slice(0, 12);

/** What the event says, else its place among the calls of one name and key, earliest first. */
function attemptsOf(events: readonly Event[]): ReadonlyMap<Event, number> {
  const attempts = new Map<Event, number>();
  const seen = new Map<string, number>();
  for (const event of events) {
    const said = numberOf(field(event, "attempt"));
    const key = keyText(event.fields.get("key"));
    const before = key === null ? 0 : (seen.get(`${event.name}\n${key}`) ?? 0);
    if (key !== null) seen.set(`${event.name}\n${key}`, before + 1);
    if (said !== null) attempts.set(event, Number(said));
    else if (key !== null) attempts.set(event, before + 1);
  }
  return attempts;
}

function startOf({ start }: Event): bigint | null {
  if (typeof start === "string") return null;
  return "at" in start ? start.at : start.earliest;
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
