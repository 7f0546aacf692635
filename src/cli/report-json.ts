/**
 * `toolorder check --format json`, schema `toolorder.check/1`: stable within a major version, since scripts
 * rely on it. Times are decimal strings of nanoseconds; reasons name paths and codes, never values.
 */
import type { Event, Moment } from "../model/event.ts";
import type { StaleResultOutput } from "../model/output.ts";
import type { InstanceVerdict } from "../model/verdict.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { CheckSummary } from "./summary.ts";

export const checkSchema = "toolorder.check/1";

export function jsonReport(runs: readonly JudgedRun[], summary: CheckSummary): string {
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
    runs: runs.map((run) => ({
      run: run.run,
      conversation: run.conversation,
      closed_by: run.closedBy,
      events: run.events.map(eventJson),
      verdicts: run.verdicts.map(verdictJson),
      detections: run.detections.map(detectionJson),
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

function verdictJson({ contract, rule, scope, scopeKey, result }: JudgedRule): object {
  return {
    contract: contract.name,
    rule: rule.id,
    severity: rule.severity,
    verdict: result.verdict,
    action: actionOf(rule, result.verdict),
    final: result.final,
    ...(scope === "run" ? {} : { scope, scope_key: scopeKey }),
    instances: result.instances.map(instanceJson),
  };
}

function instanceJson(instance: InstanceVerdict): object {
  return {
    anchor: instance.anchor,
    verdict: instance.verdict,
    code: instance.code,
    witness: instance.witness,
    near_misses: instance.nearMisses.map(({ event, code }) => ({ event, code })),
    reason: instance.reason,
  };
}

/** Whether a stale result was used is not followed yet, and is said to be unknown. */
function detectionJson(detection: StaleResultOutput): object {
  return {
    detector: "stale_result",
    reason: detection.reason,
    event: detection.event,
    by: detection.by,
    applied: "unknown",
  };
}
