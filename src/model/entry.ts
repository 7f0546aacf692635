import type { CoreSettings } from "./settings.ts";
import type { SpanFact } from "./span-fact.ts";
import type { UnixNano } from "./time.ts";

/**
 * The inputs of `step`, in the order in which the journal holds them. `at` is the clock's time when the shell
 * made the entry, never less than the one before; the core has no other clock.
 */
export type Entry =
  | FactsEntry
  /** Journaled only when a deadline is due. */
  | { readonly type: "tick"; readonly at: UnixNano }
  /** We were down or refused work from `from` until `at`: waits stand still in between. */
  | { readonly type: "deaf"; readonly at: UnixNano; readonly from: UnixNano }
  /** The end of recorded input: every run is closed. */
  | { readonly type: "input_end"; readonly at: UnixNano }
  /** `toolorder test` only: everything before this event time is complete. */
  | { readonly type: "watermark"; readonly at: UnixNano; readonly complete: UnixNano }
  | ContractsEntry;

export interface FactsEntry {
  readonly type: "facts";
  readonly at: UnixNano;
  /** Names the projection by which the facts were cut. */
  readonly projection: string;
  readonly facts: readonly SpanFact[];
}

/** A new set of contracts, as their sources, with the settings they run under. */
export interface ContractsEntry {
  readonly type: "contracts";
  readonly at: UnixNano;
  readonly sources: readonly ContractSource[];
  readonly settings: CoreSettings;
}

export interface ContractSource {
  /** Path as the user gave it, for messages. */
  readonly file: string;
  readonly text: string;
  /** Here only because another source includes it: its definitions and tools count, it is no contract. */
  readonly included?: true;
}
