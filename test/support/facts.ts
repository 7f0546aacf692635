import type { SpanFact } from "../../src/model/span-fact.ts";
import { unixNano } from "../../src/model/time.ts";

/** A successful tool call of 10 ms at `start` milliseconds on one clock; anything can be overridden. */
export function callFact(overrides: Partial<SpanFact> & { readonly spanId: string }, startMs = 0): SpanFact {
  const start = unixNano(1_800_000_000_000_000_000n + BigInt(startMs) * 1_000_000n);
  return {
    traceId: "t1",
    parentId: null,
    parentRemote: null,
    links: [],
    spanName: "execute_tool",
    spanKind: 1,
    scope: "test",
    clock: "host-1",
    clockAssumed: false,
    start,
    end: unixNano(start + 10_000_000n),
    ended: true,
    dialect: "test",
    eventId: null,
    kind: "tool_call",
    name: "A",
    callId: null,
    args: undefined,
    argsHash: null,
    result: undefined,
    hasResult: false,
    outcome: "success",
    errorClass: null,
    conversation: null,
    agent: null,
    attr: new Map(),
    fields: new Map(),
    hidden: new Map(),
    flaws: [],
    asks: [],
    answers: [],
    finalAnswer: null,
    side: null,
    signals: [],
    ...overrides,
  };
}
