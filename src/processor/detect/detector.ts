/**
 * What finds trouble that is nobody's broken rule: results and effects whose decision, turn, run or state was
 * no longer current, callbacks that nobody asked for, conflicts of versions (docs/causality.md).
 *
 * A detector is a function of the events of one conversation and their order. It says what is certain and what
 * may be; when that may be counted, and what rules see of it, is decided elsewhere (`fields.ts`, `outputs.ts`).
 */
import type { Event } from "../../model/event.ts";
import type { Boundary, Order, OrderEvidence } from "../../model/order.ts";
import type { ConflictRecord, DetectorName, IdentitySource } from "../../model/output.ts";
import type { Code } from "../../model/verdict.ts";
import type { Slot, ToolTraits } from "../../rules/rule.ts";
import type { Match } from "../../rules/truth.ts";

export interface DetectInput {
  /** Of one conversation, in any order. */
  readonly events: readonly Event[];
  readonly order: Order;
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** Whether nothing of this trace can come any more: only then is a use that was not seen no use. */
  readonly closed: (run: string) => boolean;
  /** Part of the conversation is known to be missing: what is not here may have been. Absent: no. */
  readonly gap?: boolean;
  /** What a later decision must ask to supersede a call, where the tool's own trait does not say. */
  readonly slot: Slot;
  /** Whether two calls may be merged in any order, as contracts declare it. */
  readonly commute: (a: Event, b: Event) => Match;
}

export interface Finding {
  readonly detector: DetectorName;
  /** One of the detector's own words. */
  readonly reason: string;
  /** The event it is about. */
  readonly event: Event;
  /** What made it so; null where nothing that is here did (a missing callback). */
  readonly by: Event | null;
  /** `unknown`: it may be, and `code` says what keeps it from being known. Never `false`. */
  readonly truth: "true" | "unknown";
  readonly code: Code | null;
  /** By what the event and `by` were known to belong to different decisions, turns, runs or versions. */
  readonly identity: IdentitySource;
  /** True where nothing that is still to come takes it back: then rules need not wait for it to be settled. */
  readonly stands?: boolean;
  /** What their order in time rests on. */
  readonly order: OrderEvidence;
  /** What would settle it, or make it surer, in words. */
  readonly note: string;
  /** Of a version conflict: both sides. */
  readonly conflict?: ConflictRecord;
  /** True where another finding already says it of the same cause: rules see it, nothing counts it twice. */
  readonly echo?: boolean;
}

export interface Detector {
  readonly name: DetectorName;
  /** Field of the event in which rules read the reasons, as a list; null: none. */
  readonly field: string | null;
  /** After which boundary of the event it is settled, once nothing earlier can come; or only with its scope. */
  readonly settledAt: Boundary | "close";
  /** Events that it can be about: the field of any other is simply absent. */
  readonly about: (event: Event) => boolean;
  /** `before`: what the detectors above it in the table found. */
  readonly find: (input: DetectInput, before: readonly Finding[]) => readonly Finding[];
}
