import type { Entry } from "../model/entry.ts";

/**
 * The place of an entry in the journal: 1 for the first one ever, one more for each that follows. 0 stands
 * before them all.
 */
export type Position = number;

export interface JournaledEntry {
  readonly position: Position;
  readonly entry: Entry;
}

/**
 * `appended`: the journal holds all the entries, and gives them back in this order; `last` is the position of
 * the last one. `full`: it holds none of them, and there will be room again. `closed`: it holds none, and
 * never will.
 */
export type Append =
  | { readonly is: "appended"; readonly last: Position }
  | { readonly is: "full"; readonly reason: string }
  | { readonly is: "closed" };

export interface JournalUsage {
  /** Entries held, from the lowest position that was not truncated. */
  readonly entries: number;
  /** Span facts in them. */
  readonly facts: number;
}

/**
 * The ordered log of everything that `step` is given, before it is given it. Whoever replays it from the
 * start gets the same verdicts; whoever was told `appended` may tell its sender that the spans are safe, as
 * safe as the kind of journal says.
 *
 * Appends are taken in the order of the calls, whole or not at all. `at` of the entries never falls; the
 * caller sees to that by reading the clock and calling `append` without waiting in between.
 */
export interface Journal {
  /** Shown by `/readyz` and in `toolorder_journal_info`. */
  readonly kind: "memory";
  /** What of it survives the process, in words for a person. */
  readonly durability: string;
  append(entries: readonly Entry[]): Promise<Append>;
  /** The entries from a position on, at most `limit` of them; fewer only where there are no more. */
  read(from: Position, limit: number): Promise<readonly JournaledEntry[]>;
  /** Forgets everything below a position. Going back is without effect. */
  truncate(below: Position): Promise<void>;
  usage(): JournalUsage;
  /** Appends are refused from now on; what is held can still be read. */
  close(): Promise<void>;
}
