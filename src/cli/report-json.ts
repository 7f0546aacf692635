/**
 * `toolorder check --format json`, schema `toolorder.check/1`: stable within a major version, since scripts
 * rely on it. Times are decimal strings of nanoseconds; reasons name paths and codes, never values.
 */
import type { Event, Moment } from "../model/event.ts";
import type { ConflictRecord, DetectionOutput } from "../model/output.ts";
import type { DecisionGap, Transition } from "../model/transition.ts";
import type { InstanceVerdict } from "../model/verdict.ts";
import { decisionGaps } from "../processor/decision-gaps.ts";
import type { OpenEffect } from "../processor/open-effects.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import { transitionsOf } from "../processor/transitions.ts";
import type { AppliedBaseline } from "./baseline.ts";
import type { Finding } from "./findings.ts";
import type { CheckSummary } from "./summary.ts";

export const checkSchema = "toolorder.check/1";

export interface JsonInput {
  readonly runs: readonly JudgedRun[];
  readonly findings: readonly Finding[];
  readonly summary: CheckSummary;
  readonly baseline: AppliedBaseline | null;
  /** Also what was decided about each event (`--trace`). */
  readonly trace: boolean;
}

export function jsonReport({ runs, findings, summary, baseline, trace }: JsonInput): string {
  const transitions = trace ? transitionsOf(runs) : null;
  const answers = new Map(findings.map(({ instance, standing }) => [instance, standing]));
  const document = {
    schema: checkSchema,
    summary: {
      runs: summary.runs,
      tool_calls: summary.toolCalls,
      violations: summary.violations,
      inconclusive: summary.inconclusive,
      stale_results: summary.staleResults,
      exit_code: summary.exitCode,
    },
    tiers: {
      blocking: summary.tiers.blocking,
      needs_review: summary.tiers.review,
      drift: summary.tiers.drift,
    },
    ...(summary.approved > 0 && { approved: summary.approved }),
    ...(baseline !== null && {
      baseline: { known: baseline.known, new: baseline.fresh, gone: baseline.gone },
    }),
    runs: runs.map((run) => ({
      run: run.run,
      conversation: run.conversation,
      closed_by: run.closedBy,
      events: run.events.map(eventJson),
      verdicts: run.verdicts.map((judged) => verdictJson(judged, answers)),
      detections: run.detections.map(detectionJson),
      ...(run.effectsOpen.length > 0 && { effects_open: run.effectsOpen.map(openEffectJson) }),
      ...(transitions !== null && {
        transitions: (transitions.get(run.run) ?? []).map(transitionJson),
        decision_gaps: decisionGaps(run.events).map(gapJson),
      }),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function eventJson(event: Event): object {
  return {
    id: event.id,
    kind: event.kind,
    conversation: event.conversation,
    name: event.name,
    call_id: event.callId,
    status: event.status,
    start: momentJson(event.start),
    end: momentJson(event.end),
    dialect: event.dialect,
    flaws: event.flaws,
  };
}

/** Null where there is no single stamp: open, unknown, or only known to lie between two. */
function momentJson(moment: Moment): string | null {
  return typeof moment === "object" && "at" in moment ? moment.at.toString() : null;
}

type Answers = ReadonlyMap<InstanceVerdict, Finding["standing"]>;

function verdictJson({ contract, rule, scope, scopeKey, result }: JudgedRule, answers: Answers): object {
  return {
    contract: contract.name,
    rule: rule.id,
    severity: rule.severity,
    verdict: result.verdict,
    action: actionOf(rule, result.verdict),
    final: result.final,
    ...(scope === "run" ? {} : { scope, scope_key: scopeKey }),
    instances: result.instances.map((instance) => instanceJson(instance, answers)),
  };
}

function instanceJson(instance: InstanceVerdict, answers: Answers): object {
  const answer = answers.get(instance);
  return {
    anchor: instance.anchor,
    verdict: instance.verdict,
    code: instance.code,
    witness: instance.witness,
    near_misses: instance.nearMisses.map(({ event, code }) => ({ event, code })),
    evidence: instance.evidence,
    completeness: instance.completeness,
    reason: instance.reason,
    ...(answer?.is === "approved" && { approved: { by: answer.by, until: answer.until } }),
    ...((answer?.is === "known" || answer?.is === "new") && { baseline: answer.is }),
  };
}

function openEffectJson({ ledger, state, event, tool, keyRef, since, closedBy }: OpenEffect): object {
  return {
    ledger,
    state,
    event,
    tool,
    key_ref: keyRef,
    since: since === null ? null : since.toString(),
    closed_by: closedBy,
  };
}

function transitionJson(one: Transition): object {
  return {
    event: one.event,
    kind: one.kind,
    name: one.name,
    at: one.at === null ? null : one.at.toString(),
    decision: one.decision,
    code: one.code,
    reason: one.reason,
    rules: one.rules.map(({ rule, verdict, code, reason, witness, state }) => ({
      rule,
      verdict,
      code,
      reason,
      witness,
      ...(state !== undefined && { state: state.was, allowed: state.allowed }),
    })),
    evidence: one.evidence,
    detections: one.detections,
    ...(one.conflicts.length > 0 && { conflicts: one.conflicts.map(conflictJson) }),
    state_version: one.stateVersion,
    node: one.node,
    effect: one.effect,
    key_ref: one.keyRef,
    attempt: one.attempt,
    error_class: one.errorClass,
  };
}

function gapJson({ of, missing }: DecisionGap): object {
  return { of, missing: missing.map(({ from, to }) => [from.toString(), to.toString()]) };
}

function conflictJson({ resource, commonBase, sides, disputed }: ConflictRecord): object {
  return { resource, common_base: commonBase, sides, disputed };
}

function detectionJson(detection: DetectionOutput): object {
  const { detector, reason, event, by, applied, effect, evidence, conflict } = detection;
  return {
    detector,
    reason,
    event,
    by,
    ...(applied !== null && { applied }),
    effect,
    evidence: { identity: evidence.identity, order: evidence.order, surer_with: evidence.note },
    ...(conflict !== undefined && { conflict: conflictJson(conflict) }),
  };
}
