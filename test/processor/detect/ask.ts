/** Asks the detectors about events made by hand. */
import type { Event } from "../../../src/model/event.ts";
import type { Finding } from "../../../src/processor/detect/detector.ts";
import { detectAll } from "../../../src/processor/detect/detectors.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import type { Commuting } from "../../../src/rules/commuting.ts";
import type { Slot, ToolTraits } from "../../../src/rules/rule.ts";
import { no } from "../../../src/rules/truth.ts";
import { plainClock } from "../../support/scope.ts";

export type Tools = Readonly<Record<string, Partial<ToolTraits>>>;

export interface Asking {
  readonly tools?: Tools | undefined;
  readonly slot?: Slot | undefined;
  readonly commute?: Commuting | undefined;
}

export const bare: ToolTraits = {
  access: null,
  effect: "unknown",
  resource: null,
  reads: null,
  idempotent: null,
  compensable: null,
  cancel: null,
  slot: null,
  outcome: new Map(),
  note: null,
};

/** What detectors find in a conversation whose traces are all closed. */
export function findings(
  events: readonly Event[],
  { tools = {}, slot, commute }: Asking = {},
): readonly Finding[] {
  return detectAll({
    events,
    order: createOrder(events, plainClock, { closed: () => false }),
    tools: new Map(Object.entries(tools).map(([name, traits]) => [name, { ...bare, ...traits }])),
    slot: slot ?? { is: "tool" },
    commute: (a, b) => commute?.(a, b, true) ?? no,
    closed: () => true,
  });
}

/** `detector reason event < by`, with a `?` behind what only may be; sorted. */
export function found(events: readonly Event[], asking: Asking = {}): string[] {
  return findings(events, asking).map(inWords).sort();
}

export function inWords({ detector, reason, event, by, truth }: Finding): string {
  return `${detector} ${reason} ${event.id} < ${by?.id ?? "nothing"}${truth === "true" ? "" : "?"}`;
}
