/**
 * The service's log: JSON lines, for what happens once. What happens per span is counted instead. Lines name
 * ids, rules, paths and codes; never an argument's or result's value.
 */
import { EventEmitter } from "node:events";
import pino, { type DestinationStream, type Logger } from "pino";
import type { RevisionOutput, ViolationRecord } from "../model/output.ts";

export type Log = Logger;

/**
 * Most bytes of lines that wait for a reader of standard output who does not read. Past it new lines are
 * dropped and counted: a stalled log collector must not stall judging, nor fill the heap.
 */
const maxWaitingBytes = 64 * 1024 * 1024;

const dropped = new WeakMap<Log, { lines: number }>();

/** Lines that were dropped since the log was made. */
export const droppedLines = (log: Log): number => dropped.get(log)?.lines ?? 0;

export function createLog(destination: DestinationStream = standardOutput()): Log {
  const log = pino(
    {
      base: { name: "toolorder" },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Nothing below logs these; should a later line do so by mistake, it stays out of the log all the same.
      redact: {
        paths: ["args", "result", "attr", "*.args", "*.result", "*.attr", "*.authorization", "*.token"],
        remove: true,
      },
    },
    destination,
  );
  const count = { lines: 0 };
  dropped.set(log, count);
  if (destination instanceof EventEmitter) {
    destination.on("drop", () => {
      count.lines += 1;
    });
  }
  return log;
}

/** Writes without waiting; what is left at the end of the process is written then. */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, maxLength: maxWaitingBytes });
}

/** The one line of a violation. Critical and high ones are warnings, so that a filter by level finds them. */
export function logViolation(log: Log, record: ViolationRecord): void {
  const line = {
    violation: record.id,
    contract: record.contract,
    rule: record.rule,
    severity: record.severity,
    category: record.category,
    action: record.action,
    code: record.instance.code,
    reason: record.instance.reason,
    trace_id: record.traceId,
    conversation: record.conversation,
    service: record.service,
    agent: record.agent,
    scope: record.scope,
    anchor: record.instance.anchor,
    witness: record.instance.witness,
    evidence: record.instance.evidence,
    complete_by: record.instance.completeness,
    record: record.record,
    supersedes: record.supersedes,
  };
  const text = `violated: ${record.title ?? record.expected}`;
  if (record.severity === "critical" || record.severity === "high") log.warn(line, text);
  else log.info(line, text);
}

export function logRevision(log: Log, revision: RevisionOutput): void {
  log.info(
    {
      violation: revision.id,
      record: revision.record,
      supersedes: revision.supersedes,
      contract: revision.rule.contract,
      rule: revision.rule.rule,
      severity: revision.rule.severity,
      change: revision.change,
      verdict: revision.instance.verdict,
      code: revision.instance.code,
      scope: revision.scope.scope,
      // An entity's key is a value out of somebody's arguments: those are for records, not for logs.
      ...(revision.scope.scope === "key" ? {} : { scope_key: revision.scope.key }),
    },
    revision.change === "settled" ? "inconclusive settled" : `violation ${revision.change}`,
  );
}
