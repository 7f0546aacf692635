/** POST /v1/logs: log records, some of which are events. */
import type { DecodedLogs, LogRecord } from "../model/log-record.ts";
import { type ExportRequest, type PostDeps, postSignal } from "./post-signal.ts";
import type { HttpReply } from "./reply.ts";
import { logs } from "./signal.ts";

export type PostLogsDeps = PostDeps<DecodedLogs, LogRecord>;

/** The answer; null when the sender went away before its body was whole. */
export function postLogs(request: ExportRequest, deps: PostLogsDeps): Promise<HttpReply | null> {
  return postSignal(request, deps, logs);
}
