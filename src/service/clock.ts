import { type UnixNano, unixNano } from "../model/time.ts";

/** What the shell asks about time; the core is only told. */
export interface Clock {
  /** Never less than the call before. */
  now(): UnixNano;
  /** Calls `wake` once, at or after an instant of this clock. Returns how to call it off. */
  wakeAt(at: UnixNano, wake: () => void): () => void;
}

/** Longest delay of a timer: node runs a longer one at once. */
const maxDelayMs = 2_147_483_647;

/**
 * The system's clock, held so that it never goes back: a correction backwards makes it stand still, a jump
 * forwards is believed. A timer that fires early sets itself again.
 */
export function createSystemClock(read: () => UnixNano = systemNow): Clock {
  let last = unixNano(0n);
  const now = (): UnixNano => {
    const current = read();
    if (current > last) last = current;
    return last;
  };
  return {
    now,
    wakeAt(at, wake) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const wait = Number(at - now()) / 1e6;
        timer = setTimeout(
          () => (now() >= at ? wake() : arm()),
          Math.min(Math.max(Math.ceil(wait), 0), maxDelayMs),
        );
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

function systemNow(): UnixNano {
  // Date.now() follows the system's corrections and the monotonic clock does not: what counts here is
  // agreement with the stamps that other machines send.
  return unixNano(BigInt(Date.now()) * 1_000_000n);
}
