/** Small random scopes that meet every kind of order evidence: ties, two clocks, edges, open ends, lost data. */

import type { Event } from "../../src/model/event.ts";
import type { ClockPolicy } from "../../src/model/order.ts";
import { type DurationNano, milliseconds } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import fc from "./properties.ts";
import { event } from "./scope.ts";

interface Shape {
  readonly name: string;
  readonly start: number;
  readonly length: number | null;
  readonly micros: number;
  readonly host: string;
  readonly seq: number | null;
  readonly key: Value | undefined;
  readonly argsHidden: boolean;
  readonly result: string | undefined;
  readonly parents: readonly number[];
  readonly links: readonly number[];
}

const shape: fc.Arbitrary<Shape> = fc.record({
  name: fc.constantFrom("A", "B", "C"),
  start: fc.nat(9),
  length: fc.oneof({ weight: 8, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constant(null) }),
  micros: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(999) }),
  host: fc.oneof({ weight: 4, arbitrary: fc.constant("h1") }, { weight: 1, arbitrary: fc.constant("h2") }),
  seq: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
  key: fc.constantFrom<Value | undefined>("1", 1, "2", "", null, undefined),
  argsHidden: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  result: fc.constantFrom<string | undefined>("ok", "ok", "no", undefined),
  parents: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.nat(6), { maxLength: 2 }) },
  ),
  links: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.nat(6), { maxLength: 1 }) },
  ),
});

function build(shapes: readonly Shape[]): Event[] {
  return shapes.map((one, i) => {
    const start = one.start + one.micros / 1000;
    return event({
      id: `e${i}`,
      name: one.name,
      start,
      end: one.length === null ? "open" : start + one.length,
      host: one.host,
      ...(one.argsHidden ? {} : { args: { k: one.key ?? null } }),
      ...(one.result === undefined ? {} : { result: one.result }),
      fields: {
        ...(one.seq === null ? {} : { seq: one.seq }),
        parents: one.parents.map((parent) => `e${parent}`),
        links: one.links.map((parent) => `e${parent}`),
      },
    });
  });
}

export const scopes = (maxLength: number): fc.Arbitrary<Event[]> => fc.array(shape, { maxLength }).map(build);

export const policies: fc.Arbitrary<ClockPolicy> = fc.record({
  skew: fc.constantFrom<DurationNano | null>(milliseconds(2), milliseconds(0), null),
  tie: fc.constantFrom<ClockPolicy["tie"]>("before", "unknown"),
  resolution: fc.constantFrom<DurationNano | null>(null, null, 1n as DurationNano, milliseconds(2)),
  inferOffset: fc.constant(true),
  evidence: fc.oneof(
    { weight: 5, arbitrary: fc.constant<ClockPolicy["evidence"]>("any") },
    { weight: 1, arbitrary: fc.constant<ClockPolicy["evidence"]>("causal") },
  ),
  assumeClock: fc.constant(true),
});

/** The same events in another order, the same for the same seed. */
export function permuted<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, i) => ({ item, key: Math.imul((i + 1) ^ seed, 2654435761) >>> 0 }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
