import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { Point } from "../../../src/model/order.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import {
  before,
  completeAt,
  gapCode,
  instance,
  mayChange,
  openKernel,
  point,
} from "../../../src/rules/kernels/context.ts";
import { closedBy, type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const a = (spec: Partial<EventSpec> = {}): Event => event({ id: "a", name: "A", start: 0, end: 10, ...spec });
const b = (spec: Partial<EventSpec> = {}): Event =>
  event({ id: "b", name: "B", start: 20, end: 30, ...spec });
const closed = closedBy("input_end");
const open = watermark(ms(1000));

/** The order knows of no closed run: that the scope has ended is the kernel's own knowledge. */
const kernelOn = (events: readonly Event[], completeness: Completeness, evidence: "any" | "causal" = "any") =>
  openKernel({
    events,
    order: createOrder(events, { ...plainClock, evidence }),
    completeness,
    missingAfter: "vacuous",
    nearMisses: false,
  });

describe("order at the end of a scope", () => {
  const asked = (events: readonly Event[], from: Point, to: Point, completeness = closed) => {
    const { truth, evidence, code } = before(kernelOn(events, completeness), from, to, "required");
    return `${truth} ${code ?? evidence}`;
  };
  it("what is still open then never finished", () => {
    const running = a({ end: "open" });
    const events = [running, b()];
    assert.equal(
      asked(events, point(running, "finished_at"), point(b(), "started_at"), open),
      "unknown order_unknown",
    );
    assert.equal(
      asked(events, point(running, "finished_at"), point(b(), "started_at")),
      "false never_finished",
    );
    assert.equal(
      asked(events, point(b(), "finished_at"), point(running, "finished_at")),
      "true never_finished",
    );
    assert.equal(
      asked(events, point(b(), "finished_at"), point(running, "finished_at"), open),
      "unknown order_unknown",
    );
  });
  it("what the order knows stays as it is", () => {
    const [x, y] = [a(), b()];
    assert.equal(asked([x, y], point(x, "finished_at"), point(y, "started_at")), "true clock");
    const running = a({ start: 90, end: "open" });
    assert.equal(asked([running, y], point(running, "finished_at"), point(y, "started_at")), "false clock");
  });
  it("its start is no end, and what was only asked for has none", () => {
    const [running, far] = [a({ end: "open", start: 20 }), b({ host: "h2" })];
    assert.equal(
      asked([running, far], point(running, "started_at"), point(far, "started_at")),
      "unknown order_unknown",
    );
    const never = b({ start: "none", end: "open" });
    assert.equal(
      asked([a(), never], point(a(), "finished_at"), point(never, "finished_at")),
      "unknown order_unknown",
    );
  });
  it("references that contradict each other are not mended by it", () => {
    const [x, y] = [a({ end: "open", fields: { parents: ["b"] } }), b({ fields: { parents: ["a"] } })];
    assert.equal(asked([x, y], point(x, "finished_at"), point(y, "started_at")), "unknown causal_cycle");
  });
});

describe("when nothing earlier can come", () => {
  const at = (event: Event, completeness: Completeness, evidence: "any" | "causal" = "any") =>
    completeAt(kernelOn([event], completeness, evidence), point(event, "finished_at"));
  it("is what completeness says of the point, and its close of every point", () => {
    assert.equal(at(a(), watermark(ms(11))), "watermark");
    assert.equal(at(a(), watermark(ms(10))), null);
    assert.equal(at(a(), closedBy("idle")), "idle");
    assert.equal(at(a({ end: "open" }), closedBy("idle")), "idle");
  });
  it("is never before a finish that has not come", () => {
    const patient: Completeness = { closed: null, gap: false, complete: () => "wait", passed: () => true };
    const running = a({ end: "open" });
    assert.equal(at(running, patient), null);
    assert.equal(at(a({ end: "unknown" }), patient), "wait");
    assert.equal(completeAt(kernelOn([running], patient), point(running, "started_at")), "wait");
  });
  it("is the close alone where causes alone order", () => {
    assert.equal(at(a(), watermark(ms(11)), "causal"), null);
    assert.equal(at(a(), closedBy("idle"), "causal"), "idle");
  });
});

describe("what may still change", () => {
  it("is an event that runs or waits for another span, in an open scope", () => {
    const change = (spec: Partial<EventSpec>, completeness: Completeness) =>
      mayChange(kernelOn([], completeness), a(spec));
    assert.equal(change({}, open), false);
    assert.equal(change({ end: "open" }, open), true);
    assert.equal(change({ unsettled: ["agent"] }, open), true);
    assert.equal(change({ end: "open" }, closed), false);
    assert.equal(change({ unsettled: ["agent"] }, closed), false);
  });
});

it("what was lost: the cut before the gap", () => {
  const code = (completeness: Completeness) => gapCode(kernelOn([], completeness));
  assert.equal(code(closed), null);
  assert.equal(code(closedBy("idle", true)), "data_incomplete");
  assert.equal(code(closedBy("evicted", true)), "evicted");
  assert.equal(code(closedBy("evicted")), "evicted");
});

it("an instance has nothing but what it is given", () => {
  assert.deepEqual(instance({ verdict: "satisfied", final: true, key: "k" }), {
    anchor: null,
    key: "k",
    verdict: "satisfied",
    final: true,
    code: null,
    witness: null,
    nearMisses: [],
    evidence: "none",
    completeness: null,
    reason: "",
    involved: [],
  });
});
