/**
 * Drives the core: reads the journal in order, steps each entry, hands the outputs on, and sees to it that a
 * tick is journaled when a deadline is due.
 *
 * Invariants
 *   - The core is given every entry of the journal once, in order, and nothing else.
 *   - A tick is journaled only when the core has nothing before it to do and a deadline is due, so an idle
 *     service writes nothing, and a busy one is moved on by the `at` of its own entries.
 *   - A time in which work was refused is journaled as `deaf` before any entry that comes after it.
 *   - Works in slices of a few milliseconds, between which sockets and scrapes are served.
 */
import { performance } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import type { Append, Journal } from "../journal/journal.ts";
import type { Entry } from "../model/entry.ts";
import type { Output } from "../model/output.ts";
import { later, milliseconds, plus, type UnixNano, unixNano } from "../model/time.ts";
import type { Clock } from "./clock.ts";

/** The core, with its state inside. */
export interface Core {
  step(entry: Entry): readonly Output[];
  nextDue(): UnixNano | null;
}

export interface LoopOptions {
  readonly journal: Journal;
  readonly core: Core;
  readonly clock: Clock;
  readonly onOutputs: (outputs: readonly Output[]) => void;
  /** A fault of ours: the core, or who took its outputs, threw on an entry. The loop goes on with the next one. */
  readonly onFault: (error: unknown, entry: Entry) => void;
  readonly onAppended: (entry: Entry) => void;
  /** The refusing that was not journaled yet; null when there was none. */
  readonly takeDeaf: () => { readonly from: UnixNano; readonly until: UnixNano } | null;
}

export interface Loop {
  /** Journals entries, made with the time at which they come, and wakes the stepping. */
  append(make: (at: UnixNano) => readonly Entry[]): Promise<Append>;
  /** Resolves when everything journaled so far has been stepped and due ticks are done. */
  idle(): Promise<void>;
  /** Steps what waits, then stops for good. */
  close(): Promise<void>;
}

/** Longest uninterrupted work. A scrape or an accept may wait this long. */
const sliceMs = 8;

/** Entries fetched at once; small, so that a slow consumer holds little twice. */
const readAhead = 256;

/** Ticks in a row that leave the earliest deadline where it was. */
const mostVainTicks = 1_000;
const retryTick = milliseconds(100);

export function createLoop(options: LoopOptions): Loop {
  const { journal, core, clock } = options;
  let next = 1;
  let lastAt = unixNano(0n);
  let running: Promise<void> | null = null;
  let more = false;
  let lastTick: { readonly at: UnixNano; readonly due: UnixNano | null } = { at: unixNano(0n), due: null };
  let vainTicks = 0;
  let cancelTimer: (() => void) | null = null;
  let pendingDeaf: Entry | null = null;
  let closed = false;

  function append(make: (at: UnixNano) => readonly Entry[]): Promise<Append> {
    // From reading the clock to `append` nothing may wait, or a later entry could carry an earlier time.
    const before = deafEntry();
    const at = later(clock.now(), lastAt);
    const entries = [...before, ...make(at)];
    lastAt = at;
    const appended = journal.append(entries);
    return appended.then((result) => {
      if (result.is === "appended") for (const entry of entries) options.onAppended(entry);
      // What could not be written is not forgotten: it goes before the next entry that fits.
      else pendingDeaf = before[0] ?? null;
      wake();
      return result;
    });
  }

  function deafEntry(): readonly Entry[] {
    const taken = options.takeDeaf();
    const held = pendingDeaf;
    pendingDeaf = null;
    if (taken === null) return held === null ? [] : [held];
    const from = held?.type === "deaf" ? held.from : taken.from;
    const at = later(taken.until, lastAt);
    lastAt = at;
    return [{ type: "deaf", at, from }];
  }

  function wake(): void {
    more = true;
    if (running !== null) return;
    running = run().finally(() => {
      running = null;
      if (more) wake();
    });
  }

  async function run(): Promise<void> {
    let sliceStart = performance.now();
    while (more) {
      more = false;
      for (;;) {
        const batch = await journal.read(next, readAhead);
        if (batch.length === 0) break;
        for (const { position, entry } of batch) {
          stepOne(entry);
          next = position + 1;
          if (performance.now() - sliceStart < sliceMs) continue;
          await journal.truncate(next);
          await turn();
          sliceStart = performance.now();
        }
        await journal.truncate(next);
      }
      await tickIfDue();
    }
    setTimer();
  }

  function stepOne(entry: Entry): void {
    try {
      const outputs = core.step(entry);
      if (outputs.length > 0) options.onOutputs(outputs);
    } catch (error) {
      options.onFault(error, entry);
    }
  }

  async function tickIfDue(): Promise<void> {
    const next = nextTick();
    if (next === null || closed || later(clock.now(), lastAt) < next) return;
    const due = core.nextDue();
    await append((at) => {
      vainTicks = due === lastTick.due ? vainTicks + 1 : 0;
      lastTick = { at, due };
      return [{ type: "tick", at }];
    });
  }

  /**
   * The core may need several ticks for what is due at one instant. A deadline that no number of them clears
   * would spin: such a one is asked about again after a while.
   */
  function nextTick(): UnixNano | null {
    const due = core.nextDue();
    return due === null || vainTicks < mostVainTicks ? due : later(due, plus(lastTick.at, retryTick));
  }

  function setTimer(): void {
    cancelTimer?.();
    cancelTimer = null;
    const due = closed ? null : nextTick();
    if (due !== null) cancelTimer = clock.wakeAt(due, wake);
  }

  return {
    append,
    async idle() {
      wake();
      while (running !== null) await running;
    },
    async close() {
      closed = true;
      cancelTimer?.();
      wake();
      while (running !== null) await running;
      await journal.close();
    },
  };
}
