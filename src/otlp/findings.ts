import type { Rejection, RejectReason, WireFlaw } from "../model/span.ts";

/**
 * What was wrong in one request without making all of it undecodable. Spans refused for one cause share one
 * message, which names the first place: the number of messages is bounded by the number of causes, not by
 * what a sender puts in.
 */
export class Findings {
  readonly #flaws = new Map<WireFlaw, number>();
  readonly #rejections = new Map<
    Fault,
    { reason: RejectReason; cause: string; message: string; count: number }
  >();

  flaw(flaw: WireFlaw, count = 1): void {
    if (count > 0) this.#flaws.set(flaw, (this.#flaws.get(flaw) ?? 0) + count);
  }

  /** `place` gives the path of the offending field; it is asked for the first span of each fault only. */
  reject(fault: Fault, place: () => string, count = 1): void {
    const known = this.#rejections.get(fault);
    if (known !== undefined) known.count += count;
    else {
      const message = `${place()} ${fault.cause}; ${fault.cure}`;
      this.#rejections.set(fault, { reason: fault.reason, cause: fault.cause, message, count });
    }
  }

  get rejections(): readonly Rejection[] {
    return [...this.#rejections.values()];
  }

  get flaws(): ReadonlyMap<WireFlaw, number> {
    return this.#flaws;
  }
}

/** Why one span is refused: one object for one cause, made once. `cause` and `cure` come from a fixed set of texts: they never quote the body. */
export interface Fault {
  readonly reason: RejectReason;
  /** Continues the sentence that begins with the field's path: "is empty". */
  readonly cause: string;
  readonly cure: string;
}

export const tooDeep = (maxNesting: number): Fault => ({
  reason: "nesting",
  cause: `holds a value nested deeper than ${maxNesting} levels`,
  cure: "flatten it, or send it as JSON text",
});

export const tooMany = (maxValues: number): Fault => ({
  reason: "value",
  cause: `would bring the values of this request above ${maxValues}`,
  cure: "send fewer spans a request, or fewer events and array elements a span",
});
