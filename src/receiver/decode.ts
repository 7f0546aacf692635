import type { AttributePlan } from "../model/attribute-plan.ts";
import type { DecodedLogs, LogRecord } from "../model/log-record.ts";
import { decodeLogsJson, decodeTracesJson } from "../otlp/decode-json.ts";
import type { DecodeLimits } from "../otlp/decode-limits.ts";
import { decodeLogsProtobuf, decodeTracesProtobuf } from "../otlp/decode-protobuf.ts";
import type { IngestDeps } from "./ingest.ts";

/** The decoders of `otlp`, for `IngestDeps.decode`. The plan is asked for a request: a reload changes it. */
export function createDecode(plan: () => AttributePlan, limits: DecodeLimits): IngestDeps["decode"] {
  return (body, encoding) =>
    encoding === "protobuf"
      ? decodeTracesProtobuf(body, plan(), limits)
      : decodeTracesJson(body, plan(), limits);
}

/** The same for log records. */
export function createDecodeLogs(
  plan: () => AttributePlan,
  limits: DecodeLimits,
): IngestDeps<DecodedLogs, LogRecord>["decode"] {
  return (body, encoding) =>
    encoding === "protobuf" ? decodeLogsProtobuf(body, plan(), limits) : decodeLogsJson(body, plan(), limits);
}
