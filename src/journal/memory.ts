/**
 * A journal in memory: for a service that may lose what waits when its process ends, and for tests.
 *
 * Bounded by span facts, which is what costs memory; past the bound it refuses. Ticks, contracts and deaf
 * intervals are few, made by the service itself, and needed to get going again: they always fit. An append
 * that alone is larger than the bound fits an empty journal, since its sender would otherwise try for ever;
 * the receiver's limit on bodies bounds it.
 *
 * Cost: an append and a read are O(entries given); truncation moves what stays only when half is gone.
 */
import type { Entry } from "../model/entry.ts";
import type { Append, Journal, JournaledEntry, JournalUsage, Position } from "./journal.ts";

export interface MemoryJournalOptions {
  /** Most span facts that wait, unless one append alone is larger. */
  readonly maxFacts: number;
}

export function createMemoryJournal(options: MemoryJournalOptions): Journal {
  /** Entries from `base` on; those before `start` are truncated and wait to be dropped. */
  let held: Entry[] = [];
  let base: Position = 1;
  let start = 0;
  let facts = 0;
  let closed = false;

  const first = (): Position => base + start;
  const end = (): Position => base + held.length;

  return {
    kind: "memory",
    durability: "what waits and every open run are lost when the process ends",

    append(entries): Promise<Append> {
      if (closed) return Promise.resolve({ is: "closed" });
      const added = factsIn(entries);
      if (added > 0 && facts > 0 && facts + added > options.maxFacts) {
        const reason = `${facts} span facts wait to be judged, of ${options.maxFacts} that may`;
        return Promise.resolve({ is: "full", reason });
      }
      for (const entry of entries) held.push(entry);
      facts += added;
      return Promise.resolve({ is: "appended", last: end() - 1 });
    },

    read(from, limit): Promise<readonly JournaledEntry[]> {
      const begin = Math.max(from, first());
      const slice = held.slice(begin - base, begin - base + limit);
      return Promise.resolve(slice.map((entry, index) => ({ position: begin + index, entry })));
    },

    truncate(below): Promise<void> {
      const until = Math.min(Math.max(below - base, start), held.length);
      for (let index = start; index < until; index += 1) facts -= factsOf(held[index]);
      start = until;
      if (start * 2 > held.length) {
        held = held.slice(start);
        base += start;
        start = 0;
      }
      return Promise.resolve();
    },

    usage: (): JournalUsage => ({ entries: held.length - start, facts }),

    close(): Promise<void> {
      closed = true;
      return Promise.resolve();
    },
  };
}

const factsOf = (entry: Entry | undefined): number => (entry?.type === "facts" ? entry.facts.length : 0);

const factsIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + factsOf(entry), 0);
