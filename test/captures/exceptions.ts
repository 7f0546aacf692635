/**
 * Where a recorded run's spans cannot say what its tools knew: the attribute or span that is missing, and what
 * is the nearest honest answer. Nothing else may differ from the truth.
 */
export interface CaptureException {
  /** What the exporter never sent. */
  readonly missing: string;
  /** Every difference from the truth must be of one of these kinds. */
  readonly differs: readonly string[];
  /** The statuses of the run's calls, in order of start, as far as the spans tell. */
  readonly calls: readonly string[];
}

const sessionless = (missing: string, calls: readonly string[]): CaptureException => ({
  missing,
  differs: ["session"],
  calls,
});
const ok = (count: number): readonly string[] => Array.from({ length: count }, () => "success");
const vercel7 = "no session attribute anywhere (the integration needs an `enrichSpan` hook)";
const traceloopMcp = "the client spans hang off `mcp.client.session`, a trace that names no session";

export const captureExceptions: ReadonlyMap<string, CaptureException> = new Map([
  [
    "google-adk-2.0.0/aborted",
    {
      missing: "every attribute, status and event of the aborted call's span",
      differs: ["status"],
      calls: [...ok(3), "unknown"],
    },
  ],
  [
    "langchain-1.5.14-traceloop/auth_late_bare",
    {
      missing: "tool names, call ids, parents and session: one trace a span, content off",
      differs: ["name", "session"],
      calls: ok(4),
    },
  ],
  [
    "openai-agents-0.20.0-laminar/aborted",
    {
      missing: "the error's text (the exporter keeps a generic message)",
      differs: ["status"],
      calls: [...ok(3), "error"],
    },
  ],
  [
    "traceloop-0.27.0/retry",
    {
      missing: "the failed call's span (a rejected promise never ends it): seen as requested",
      differs: ["number", "call"],
      calls: ok(6),
    },
  ],
  [
    "traceloop-0.27.0/unhandled_error",
    {
      missing: "the plan's span, the agent's and the workflow's: the call is seen as requested",
      differs: ["number", "missing"],
      calls: ok(2),
    },
  ],
  [
    "mastra-0.24.9/aborted",
    sessionless("the root span, the only one with `sessionId`", [...ok(3), "cancelled"]),
  ],
  ["mcp-sdk-1.32.2/auth_late_traceloop", sessionless(traceloopMcp, ok(4))],
  ["mcp-sdk-1.32.2/good_traceloop", sessionless(traceloopMcp, ok(6))],
  ["vercel-ai-7.0.173/auth_late", sessionless(vercel7, ok(4))],
  ["vercel-ai-7.0.173/denied_then_approved", sessionless(vercel7, ok(5))],
  ["vercel-ai-7.0.173/denied_then_approved_openinference", sessionless(vercel7, ok(5))],
  ["vercel-ai-7.0.173/good", sessionless(vercel7, ok(6))],
  ["vercel-ai-7.0.173/invalid_args", sessionless(vercel7, ok(4))],
  ["vercel-ai-7.0.173/parallel", sessionless(vercel7, ok(6))],
  [
    "vercel-ai-7.0.173/retry_min_openinference",
    sessionless(vercel7, ["success", "error", "success", "success"]),
  ],
  ["vercel-ai-7.0.173/unhandled_error", sessionless(vercel7, [...ok(2), "error"])],
]);
