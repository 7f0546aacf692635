import type { Entry } from "../../src/model/entry.ts";
import type { Output } from "../../src/model/output.ts";
import { type CoreSettings, defaultSettings } from "../../src/model/settings.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { type UnixNano, unixNano } from "../../src/model/time.ts";
import { nextDue, step } from "../../src/processor/pipeline.ts";
import { createState, type State } from "../../src/processor/state.ts";

/** 2027-01-15T08:00:00Z, the base of every time in these tests. */
export const base = 1_800_000_000_000_000_000n;
export const at = (second: number): UnixNano =>
  unixNano(base + BigInt(Math.round(second * 1000)) * 1_000_000n);

/** Drives the real core by hand: entries at seconds after the base, ticks where they are due. */
export class Driver {
  readonly state: State = createState();
  readonly outputs: Output[] = [];
  /** Ticks stepped so far. */
  ticks = 0;
  #now = 0;

  /** `startedAt`: the second at which the contracts came into force. */
  constructor(contract: string, settings: Partial<CoreSettings> = {}, startedAt = 0) {
    this.#apply({
      type: "contracts",
      at: at(startedAt),
      sources: [{ file: "contract.yaml", text: contract }],
      settings: { ...defaultSettings, ...settings },
    });
  }

  /** Facts that arrive at this second; ticks that were due before are stepped first. */
  facts(second: number, ...facts: SpanFact[]): this {
    this.until(second);
    return this.#apply({ type: "facts", at: at(second), projection: "test", facts });
  }

  /** Lets time pass: every tick is stepped when it is due. */
  until(second: number): this {
    for (let due = nextDue(this.state); due !== null && due <= at(second); due = nextDue(this.state)) {
      this.ticks += 1;
      this.#apply({ type: "tick", at: due });
    }
    this.#now = second;
    return this;
  }

  deaf(from: number, until: number): this {
    return this.#apply({ type: "deaf", from: at(from), at: at(until) });
  }

  end(): this {
    return this.#apply({ type: "input_end", at: at(this.#now) });
  }

  /** Outputs of one type since the last look. */
  take<T extends Output["type"]>(type: T): Extract<Output, { type: T }>[] {
    return this.outputs.filter((output): output is Extract<Output, { type: T }> => output.type === type);
  }

  /** Forgets the outputs so far. */
  clear(): this {
    this.outputs.length = 0;
    return this;
  }

  #apply(entry: Entry): this {
    this.outputs.push(...step(this.state, entry));
    return this;
  }
}
