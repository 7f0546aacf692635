/** POST /v1/traces: spans. */
import type { DecodedTraces, Span } from "../model/span.ts";
import { type ExportRequest, type PostDeps, postSignal } from "./post-signal.ts";
import type { HttpReply } from "./reply.ts";
import { traces } from "./signal.ts";

export type TraceRequest = ExportRequest;
export type PostTracesDeps = PostDeps<DecodedTraces, Span>;

/** The answer; null when the sender went away before its body was whole. */
export function postTraces(request: TraceRequest, deps: PostTracesDeps): Promise<HttpReply | null> {
  return postSignal(request, deps, traces);
}
