/** Metrics about the service itself: the way in, the journal, the build. */
import type { MetricDeclaration } from "./declaration.ts";

export const receiverSpans = {
  name: "toolorder_receiver_spans_total",
  type: "counter",
  unit: "{span}",
  help: "Spans received, by what became of them.",
  reading:
    "`accepted` is what is judged. `rejected` spans were malformed: the answer to their sender says how. `refused` ones are sent again by their sender. `dropped_own` are ours, come back through a fan-out.",
  labels: ["transport", "encoding", "outcome"],
} as const satisfies MetricDeclaration;

export const receiverLogRecords = {
  name: "toolorder_receiver_log_records_total",
  type: "counter",
  unit: "{log_record}",
  help: "Log records received, by what became of them.",
  reading:
    "As for spans. `passed_over` records are ordinary log lines, or events that say nothing of order: only that, from an agent that you want judged, means that its records need a mapping.",
  labels: ["transport", "encoding", "outcome"],
} as const satisfies MetricDeclaration;

export const receiverRequests = {
  name: "toolorder_receiver_requests_total",
  type: "counter",
  unit: "{request}",
  help: "Requests answered, of spans and of log records, by outcome.",
  reading:
    "`refused` is overload, answered 503 and sent again. `rejected` is a 4xx: that sender loses data until it is mended. `aborted` senders went away early: slow network, or a timeout of theirs. `failed` is our fault: look at the log.",
  labels: ["transport", "encoding", "outcome"],
} as const satisfies MetricDeclaration;

export const receiverBytes = {
  name: "toolorder_receiver_bytes_total",
  type: "counter",
  unit: "By",
  help: "Bytes of request bodies as they came over the wire, before decompression.",
  reading: "What network capacity to plan for.",
  labels: ["transport", "encoding", "outcome"],
} as const satisfies MetricDeclaration;

export const receiverRejections = {
  name: "toolorder_receiver_rejections_total",
  type: "counter",
  unit: "{span}",
  help: "Spans and log records rejected alone while the rest of their request lived, by reason.",
  reading: "The instrumentation of some sender is broken; the reason names the field.",
  labels: ["reason"],
} as const satisfies MetricDeclaration;

export const receiverInFlightBytes = {
  name: "toolorder_receiver_in_flight_bytes",
  type: "gauge",
  unit: "By",
  help: "Bytes of requests that are being read and decoded.",
  reading: "Requests are refused when it reaches `max_in_flight_size`.",
  labels: [],
} as const satisfies MetricDeclaration;

export const journalAppended = {
  name: "toolorder_journal_entries_appended_total",
  type: "counter",
  unit: "{entry}",
  help: "Inputs of judging that were journaled, by type.",
  reading: "`deaf` counts intervals in which we refused work and all waits stood still.",
  labels: ["type"],
} as const satisfies MetricDeclaration;

export const journalWaiting = {
  name: "toolorder_journal_waiting",
  type: "gauge",
  unit: "{fact}",
  help: "Span facts that are journaled and not yet judged.",
  reading: "Near 0. At `max_waiting` the receiver refuses: judging is slower than the traffic.",
  labels: [],
} as const satisfies MetricDeclaration;

export const journalRefused = {
  name: "toolorder_journal_refused_total",
  type: "counter",
  unit: "{request}",
  help: "Appends refused because the journal was full.",
  reading: "Above 0: give it a faster core, fewer rules about every event, or spread the load.",
  labels: [],
} as const satisfies MetricDeclaration;

export const journalInfo = {
  name: "toolorder_journal_info",
  type: "gauge",
  unit: "{journal}",
  help: "1, with the kind of journal.",
  reading: "`memory`: what waits and every open run are lost when the process ends.",
  labels: ["kind"],
} as const satisfies MetricDeclaration;

export const logLinesDropped = {
  name: "toolorder_log_lines_dropped_total",
  type: "counter",
  unit: "{line}",
  help: "Log lines dropped because whoever reads standard output does not keep up.",
  reading:
    "Always 0. Else the log collector stalls: violations are counted here all the same, but some of their lines are missing.",
  labels: [],
} as const satisfies MetricDeclaration;

export const stepFailures = {
  name: "toolorder_step_failures_total",
  type: "counter",
  unit: "{entry}",
  help: "Journal entries that judging failed on.",
  reading: "Always 0. Else it is our bug: the log has the error; verdicts of that entry are missing.",
  labels: [],
} as const satisfies MetricDeclaration;

export const buildInfo = {
  name: "toolorder_build_info",
  type: "gauge",
  unit: "{build}",
  help: "1, with the version that runs.",
  reading: "Which version answered.",
  labels: ["version", "node"],
} as const satisfies MetricDeclaration;

export const serviceMetrics = [
  receiverSpans,
  receiverLogRecords,
  receiverRequests,
  receiverBytes,
  receiverRejections,
  receiverInFlightBytes,
  journalAppended,
  journalWaiting,
  journalRefused,
  journalInfo,
  logLinesDropped,
  stepFailures,
  buildInfo,
] as const satisfies readonly MetricDeclaration[];
