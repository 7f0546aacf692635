import { type DurationNano, plus, type UnixNano } from "../../src/model/time.ts";
import type { Clock } from "../../src/service/clock.ts";

/** A clock that moves only when told: waits of hours pass at once, and always alike. */
export class SteppedClock implements Clock {
  #now: UnixNano;
  readonly #alarms = new Set<{ readonly at: UnixNano; readonly wake: () => void }>();

  constructor(start: UnixNano) {
    this.#now = start;
  }

  now(): UnixNano {
    return this.#now;
  }

  wakeAt(at: UnixNano, wake: () => void): () => void {
    const alarm = { at, wake };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Lets time pass, stopping at every alarm on the way and waiting until what it woke is done. */
  async pass(duration: DurationNano, settled: () => Promise<void>): Promise<void> {
    const until = plus(this.#now, duration);
    await settled();
    for (;;) {
      const [next] = [...this.#alarms].sort((a, b) => (a.at < b.at ? -1 : 1));
      if (next === undefined || next.at > until) break;
      this.#alarms.delete(next);
      if (next.at > this.#now) this.#now = next.at;
      next.wake();
      await settled();
    }
    this.#now = until;
  }
}
