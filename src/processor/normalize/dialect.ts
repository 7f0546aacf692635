/**
 * What a dialect is: a table of attribute names with small decoders. Detection order, precedence between
 * dialects, placeholders, statuses and projection are shared; a dialect only says where its framework writes.
 */

import type { Outcome } from "../../model/span-fact.ts";
import type { Value } from "../../model/value.ts";
import type { Message } from "./messages.ts";
import type { View } from "./view.ts";

/** What a span is, before it becomes an event kind. `ignore`: known, and no event. */
export type Role =
  | "tool"
  | "model"
  | "agent"
  | "workflow"
  | "step"
  | "retrieval"
  | "handoff"
  | "guardrail"
  | "ignore";

/** An attribute key, whose value is read with JSON decoded, or a decoder. First present value wins. */
export type Source = string | ((view: View) => Value | undefined);

/** Fields that several dialects state; a dialect leaves out what it does not say. */
export interface Sources {
  readonly name?: readonly Source[];
  readonly callId?: readonly Source[];
  readonly args?: readonly Source[];
  readonly result?: readonly Source[];
  readonly conversation?: readonly Source[];
  readonly agent?: readonly Source[];
  readonly turn?: readonly Source[];
  readonly model?: readonly Source[];
  readonly node?: readonly Source[];
}

export type SourceField = keyof Sources;

/** What is known of a tool call when its outcome is asked. */
export interface CallDraft {
  readonly name: string | null;
  readonly callId: string | null;
  readonly args: Value | undefined;
  readonly result: Value | undefined;
}

export interface Dialect {
  readonly name: string;
  /** Attribute keys that it reads besides those named in `sources`, and beginnings of keys. */
  readonly keys: readonly string[];
  readonly prefixes?: readonly string[];
  /** Attributes of span events that it reads. */
  readonly eventKeys?: readonly string[];
  /** What the span is; null when this dialect cannot say. */
  role(view: View): Role | null;
  readonly sources: Sources;
  /** Texts that stand for nothing in this dialect's field. */
  readonly placeholders?: Partial<Record<SourceField, readonly string[]>>;
  /** Texts that stand for a value that was taken out. */
  readonly redactions?: readonly string[];
  /** Messages that a model turn was given, from the last to the first; undefined where the span holds none. */
  input?(view: View): Iterable<Message> | undefined;
  /** Messages that it gave. */
  output?(view: View): readonly Message[] | undefined;
  /** Finish reason of a model turn, in the framework's own word. */
  finish?(view: View): string | null;
  /** How the call ended where this dialect knows better than the shared table; undefined: ask the table. */
  outcome?(view: View, call: CallDraft): Outcome | undefined;
  /** True when a signal of its own says that the call failed. */
  failed?(view: View, call: CallDraft): boolean;
  side?(view: View): "client" | "server" | null;
  /** Whether the span states a final answer in so many words. */
  answer?(view: View): boolean;
}
