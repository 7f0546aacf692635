import type { Entry } from "../model/entry.ts";
import type { Output } from "../model/output.ts";
import type { OpenEffect } from "../processor/open-effects.ts";
import { effectsOpen, type Gauges, gauges, nextDue, step } from "../processor/pipeline.ts";
import { createState, type State } from "../processor/state.ts";
import type { Core } from "./loop.ts";

/** The core as the service drives it, with its live numbers. */
export interface GaugedCore extends Core {
  gauges(): Gauges;
  /** Absent where nobody asks. */
  effectsOpen?(): readonly OpenEffect[];
}

/** `state`: given where somebody else looks into it too, as the demo does. */
export function createCore(state: State = createState()): GaugedCore {
  return {
    step: (entry: Entry): readonly Output[] => step(state, entry),
    nextDue: () => nextDue(state),
    gauges: () => gauges(state),
    effectsOpen: () => effectsOpen(state),
  };
}
