import type { Flaw, SpanRef, Status } from "./event.ts";
import type { HttpFact } from "./http-fact.ts";
import type { UnixNano } from "./time.ts";
import type { Value } from "./value.ts";
import type { Code } from "./verdict.ts";

/**
 * What one span says, after its dialect was read and projected to what rules name: one span in, one fact out,
 * without looking at any other span. Journaled; `processor/assemble` makes events of the facts of a run or
 * conversation. A span that is no event is a skeleton (`kind: null`), kept for ancestry, roots and clocks.
 */
export interface SpanFact {
  readonly traceId: string;
  readonly spanId: string;
  /** null for a root. */
  readonly parentId: string | null;
  /** OTLP flags bits 8 and 9; null when the sender did not say. */
  readonly parentRemote: boolean | null;
  readonly links: readonly SpanRef[];
  readonly spanName: string;
  /** OTLP SpanKind number. */
  readonly spanKind: number;
  readonly scope: string;
  readonly clock: string;
  readonly clockAssumed: boolean;
  /** null when absent or out of range (flaw `time_out_of_range`). */
  readonly start: UnixNano | null;
  /** null when absent, out of range, or before the start (flaw `end_before_start`). */
  readonly end: UnixNano | null;
  /** Whether the span had ended when it was sent: false only for start signals and spans without an end time. */
  readonly ended: boolean;
  /** Made of a start signal: a copy of the span as it began, sent while it runs (docs/agent.md#start-signals). */
  readonly startSignal?: true;
  /**
   * Whether the process that sent it says when its tool calls begin: `all` of them, or `some`, since signals were
   * lost. Absent where it does not say. Source: resource attribute `toolorder.start_signals`.
   */
  readonly startSignals?: "all" | "some";
  /**
   * It was a log record, which has no place among the spans of its run and is never its root: `record` tells what
   * happened, `decision` what was decided about a call that another record or span tells of. Absent for spans.
   */
  readonly log?: "record" | "decision";
  /** The call that it is a part of began to run here and no sooner, whatever encloses it. */
  readonly begins?: true;
  readonly dialect: string | null;

  /** The event's own id where a plain event states one; null: the id follows from the span. */
  readonly eventId: string | null;
  /** Event kind; null for a skeleton. Containers that are no event of their own may still be `agent_run` or `step`. */
  readonly kind: string | null;
  readonly name: string | null;
  readonly callId: string | null;
  readonly args: Value | undefined;
  /** Hash of the whole arguments before projection; null when none were captured. */
  readonly argsHash: string | null;
  readonly result: Value | undefined;
  /** True when a result was captured at all, whatever the projection kept of it. */
  readonly hasResult: boolean;
  readonly outcome: Outcome;
  readonly errorClass: string | null;

  /** This span's own ids; inheritance is `assemble`'s work. */
  readonly conversation: string | null;
  readonly agent: string | null;
  /** Projected attributes. */
  readonly attr: ReadonlyMap<string, Value>;
  /**
   * Fields of docs/semantics.md 2 that this span states itself: service, environment, source, seq, turn,
   * parents, request_id, …
   */
  readonly fields: ReadonlyMap<string, Value>;
  readonly hidden: ReadonlyMap<string, Code>;
  readonly flaws: readonly Flaw[];

  /** Model turns: what the model asked for, in order; of the last assistant message only. */
  readonly asks: readonly Ask[];
  /** Model turns: what its input answered, after the last assistant message. */
  readonly answers: readonly Answer[];
  /** Model turns and agent runs that state a final answer: its existence, never its text. */
  readonly finalAnswer: "explicit" | "possible" | "suspended" | null;
  /** Calls that this span is a side of; `transport` for MCP client and server. */
  readonly side: "client" | "server" | null;
  /** An HTTP client span, where a rule reads what a call can have of it. */
  readonly http?: HttpFact;
  /** Events carried by span events of this span, or beside its own (a tool call that is the final answer). */
  readonly signals: readonly SignalFact[];
}

/** A model's request for a call. */
export interface Ask {
  readonly callId: string | null;
  readonly name: string | null;
  readonly argsHash: string | null;
  readonly args: Value | undefined;
  /** Taken from the model turn's input (the last assistant message there), not its output. */
  readonly fromInput: boolean;
}

/** The answer to a call as a later model turn's input shows it. */
export interface Answer {
  readonly callId: string | null;
  readonly name: string | null;
  readonly status: Status | null;
  readonly result: Value | undefined;
  readonly hasResult: boolean;
}

export interface SignalFact {
  readonly kind: string;
  readonly name: string | null;
  /** null when there is no stamp that can be believed. */
  readonly time: UnixNano | null;
  /** It happened somewhere between `time` and this; null: and no end is known. Absent: at `time`. */
  readonly until?: UnixNano | null;
  /** It is said by an attribute of the span, beside what the span is. Absent: no. */
  readonly beside?: boolean;
  readonly attr: ReadonlyMap<string, Value>;
  readonly fields: ReadonlyMap<string, Value>;
}

/**
 * What the span's own signals say about how the call ended (docs/dialects.md#outcomes). `unverified`: nothing
 * speaks against success and nothing for it; `assemble` settles it with the other spans of the call.
 */
export type Outcome = Status | "unverified" | null;
