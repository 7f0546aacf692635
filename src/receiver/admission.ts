/**
 * Decides whether there is room for one more request, and how long the pipeline has been deaf.
 *
 * Senders keep what is refused and send it again, so refusing early costs a delay; accepting what does not
 * fit costs the heap. Nothing waits here: a request has its room at once or is refused, so two half-read
 * bodies can never hold each other up.
 *
 * What was refused comes later, and must not be judged missing meanwhile. So admission remembers since when
 * it has been refusing, and the shell asks `takeDeaf` before each entry that it appends to the journal and
 * writes the interval down first: in it, all waits of the core stand still.
 *
 * Invariants
 *   - The leases held never sum to more than `maxInFlightBytes`, but for one request that is alone: its own
 *     limit bounds it, and refusing it would only have it come back for ever.
 *   - Deaf intervals never overlap, and each is handed out once.
 */
import { later, plus, seconds, type UnixNano } from "../model/time.ts";

export interface AdmissionOptions {
  /** Most bytes of bodies, compressed and inflated alike, that all requests may hold together. */
  readonly maxInFlightBytes: number;
  /** Most spans that may wait to be stepped. */
  readonly maxWaitingSpans: number;
  /** How many spans are journaled and not yet stepped. */
  readonly waitingSpans: () => number;
  readonly now: () => UnixNano;
  /** What refused senders are told to wait. Default 5 s: a backlog of that length fits well inside their retry limits. */
  readonly retryAfterSeconds?: number;
}

/** Why there was no room, in words for the sender, and when to come back. */
export interface Refusal {
  readonly reason: string;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number;
}

/** Bytes held for one request, from its first byte until its answer. */
export interface Lease {
  /** Asks for room for `bytes` more. On null the caller may go on; on a refusal it must stop and release. */
  grow(bytes: number): Refusal | null;
  /** Gives everything back. Calling it again does nothing. */
  release(): void;
}

/** A time in which we refused work. */
export interface DeafInterval {
  readonly from: UnixNano;
  readonly until: UnixNano;
}

export interface Admission {
  /** A lease of no bytes yet, or why the request cannot even begin. */
  enter(): { readonly lease: Lease } | { readonly refusal: Refusal };
  /** Notes that the pipeline behind us refused; returns the answer for the sender. */
  refuse(reason: string, retryAfterSeconds?: number): Refusal;
  /** From now on every request is refused, while those under way finish. There is no way back. */
  drain(): void;
  readonly draining: boolean;
  readonly inFlightBytes: number;
  /**
   * The refusing that has not been handed out yet, up to now at most; null when there was none. It ends one
   * Retry-After past the last refusal, when the refused senders have had their chance.
   */
  takeDeaf(): DeafInterval | null;
}

const defaultRetryAfterSeconds = 5;

export function createAdmission(options: AdmissionOptions): Admission {
  const advised = wholeSeconds(options.retryAfterSeconds ?? defaultRetryAfterSeconds);
  let inFlightBytes = 0;
  let draining = false;
  /** What of the current refusing has not been handed out. */
  let deaf: DeafInterval | null = null;

  function refuse(reason: string, retryAfterSeconds = advised): Refusal {
    const wait = wholeSeconds(retryAfterSeconds);
    const now = options.now();
    const until = plus(now, seconds(wait));
    deaf = deaf === null ? { from: now, until } : { from: deaf.from, until: later(deaf.until, until) };
    return { reason, retryAfterSeconds: wait };
  }

  function createLease(): Lease {
    let held = 0;
    let released = false;
    return {
      grow(bytes) {
        if (released) throw new Error("a lease cannot grow once it is released");
        const alone = inFlightBytes === held;
        if (!alone && inFlightBytes + bytes > options.maxInFlightBytes) {
          return refuse("the requests being read already fill the memory that is set aside for them");
        }
        held += bytes;
        inFlightBytes += bytes;
        return null;
      },
      release() {
        if (released) return;
        released = true;
        inFlightBytes -= held;
      },
    };
  }

  return {
    enter() {
      if (draining) return { refusal: refuse("the service is shutting down") };
      if (options.waitingSpans() >= options.maxWaitingSpans) {
        return { refusal: refuse("the pipeline's queue is full") };
      }
      return { lease: createLease() };
    },
    refuse,
    drain() {
      draining = true;
    },
    get draining() {
      return draining;
    },
    get inFlightBytes() {
      return inFlightBytes;
    },
    takeDeaf() {
      if (deaf === null) return null;
      const now = options.now();
      const { from, until } = deaf;
      if (until > now) {
        deaf = { from: now, until };
        return now > from ? { from, until: now } : null;
      }
      deaf = null;
      return { from, until };
    },
  };
}

function wholeSeconds(asked: number): number {
  return Number.isFinite(asked) ? Math.max(1, Math.ceil(asked)) : defaultRetryAfterSeconds;
}
