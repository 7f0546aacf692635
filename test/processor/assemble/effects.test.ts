/** Which effect events are made of a call, and what they say. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { effectEvents, withLedgers } from "../../../src/processor/assemble/effects.ts";
import { loadContracts } from "../../../src/rules/load.ts";
import fc from "../../support/properties.ts";
import { type EventSpec, event, ms } from "../../support/scope.ts";

const { set } = loadContracts([
  {
    file: "shop.yaml",
    text: `
contract: shop
tools:
  charge: {effect: external, compensable: true}
  send: {effect: external, idempotent: true}
effects:
  - id: pay
    tool: charge
    intent: plan
    lookup: {by: find, not_found: {tool: find, result.found: false}}
    compensation: refund
    claim: claim
    key: [args.key, args.old_key]
    request: args.order
    provider_id: result.id
    effect_id: [result.id, args.id]
    final_errors: [declined, "Invalid*"]
  - {id: mail, tool: send, lookup: sent, key: args.key}
`,
  },
]);
assert.ok(set !== null);
const { ledgers, tools } = set;

interface World {
  readonly closed?: boolean;
  readonly cutOff?: boolean;
}

function made(specs: readonly EventSpec[], { closed = true, cutOff = false }: World = {}): readonly Event[] {
  const events = withLedgers(specs.map(event), ledgers);
  return effectEvents(events, { ledgers, tools, isClosed: () => closed, wasCutOff: () => cutOff });
}

const call = (more: Partial<EventSpec> = {}): EventSpec => ({
  id: "c",
  name: "charge",
  start: 10,
  end: 20,
  args: { key: "K1", order: "R1" },
  result: { id: "P1" },
  ...more,
});

const observed = (specs: readonly EventSpec[], world: World = {}): Event | undefined =>
  made(specs, world).find(({ kind }) => kind === "effect_observed");

const field = (found: Event | undefined, name: string): unknown => found?.fields.get(name);

describe("the outcome of a call", () => {
  const rows: readonly (readonly [
    name: string,
    call: Partial<EventSpec>,
    outcome: string,
    retryable: unknown,
  ])[] = [
    ["success", {}, "ok", undefined],
    ["an error", { status: "error" }, "failed", true],
    ["a final error", { status: "error", fields: { error_class: "declined" } }, "failed", false],
    ["a final error by glob", { status: "error", fields: { error_class: "InvalidCard" } }, "failed", false],
    ["an error that says so itself", { status: "error", fields: { retryable: false } }, "failed", false],
    ["a refusal", { status: "refused" }, "failed", false],
    ["invalid arguments", { status: "rejected_invalid" }, "failed", false],
    ["a timeout", { status: "timeout" }, "unknown", undefined],
    ["a cancellation", { status: "cancelled" }, "unknown", undefined],
    ["an end that says nothing", { status: "unknown" }, "unknown", undefined],
    [
      "a request without an answer",
      { status: "error", fields: { outcome: "unknown" } },
      "unknown",
      undefined,
    ],
    ["a conflict", { status: "error", fields: { outcome: "conflict" } }, "conflict", undefined],
    ["told of the existing one", { fields: { disposition: "existing" } }, "ok", undefined],
    ["told of one in progress", { fields: { disposition: "in_progress" } }, "conflict", undefined],
    ["a timeout of an idempotent tool", { name: "send", status: "timeout" }, "failed", true],
  ];
  for (const [name, more, outcome, retryable] of rows) {
    it(name, () => {
      const found = observed([call(more)]);

      assert.equal(field(found, "outcome"), outcome);
      assert.equal(field(found, "retryable"), retryable);
      assert.deepEqual(found?.start, { at: ms(20) });
    });
  }

  it("is not there while the call runs, and its disposition is open", () => {
    const events = made([call({ status: "running", end: "open" })], { closed: false });

    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["effect_call"],
    );
    assert.ok(events[0]?.unsettled.has("disposition"));
  });

  it("is unknown from the start on, where the call never ended", () => {
    const found = observed([call({ status: "running", end: "open" })]);

    assert.equal(field(found, "outcome"), "unknown");
    assert.deepEqual([found?.start, found?.end], [{ at: ms(10) }, { at: ms(10) }]);
  });

  it("may still change while a span to come can tell it", () => {
    const found = observed([call({ unsettled: ["status", "result"] })], { closed: false });

    for (const name of ["outcome", "retryable"]) assert.ok(found?.unsettled.has(name), name);
  });
});

describe("which effect it is", () => {
  it("is read from the first path that has it, else from the field", () => {
    assert.equal(field(observed([call({ args: { old_key: "K0" } })]), "key"), "K0");
    assert.equal(field(observed([call({ args: {}, fields: { key: "K9" } })]), "key"), "K9");
    assert.equal(field(observed([call({ fields: { key: "K9" } })]), "key"), "K1");
  });

  it("has the key for its request where it has none, and its provider's id for its own", () => {
    const found = observed([call({ args: { key: "K1" } })]);

    assert.equal(field(found, "request"), "K1");
    assert.equal(field(found, "effect"), "P1");
    assert.equal(field(found, "compensable"), true);
  });

  it("is unknown where the arguments were not captured", () => {
    const hidden = { args: "not_captured" } as const;
    const [first] = made([{ id: "c", name: "charge", start: 10, end: 20, hidden }]);

    assert.equal(first?.hidden.get("key"), "not_captured");
    assert.equal(first?.fields.has("key"), false);
  });

  it("is no effect of a tool that no ledger names, and none of a call that never ran", () => {
    assert.deepEqual(made([call({ name: "look" })]), []);
    for (const status of ["requested", "awaiting"] as const) assert.deepEqual(made([call({ status })]), []);
  });
});

describe("what is told beside the call", () => {
  const kinds = (specs: readonly EventSpec[], world: World = {}): readonly string[] =>
    made(specs, world).map(({ kind, fields }) => `${kind} ${String(fields.get("outcome") ?? "")}`.trim());

  it("a lookup says ok, failed where there is none, and unknown where it failed itself", () => {
    const lookup = (more: Partial<EventSpec>): EventSpec => ({ ...call(), id: "l", name: "find", ...more });

    assert.deepEqual(kinds([lookup({ result: { found: true } })]), ["effect_lookup ok"]);
    assert.deepEqual(kinds([lookup({ result: { found: false } })]), ["effect_lookup failed"]);
    assert.deepEqual(kinds([lookup({ status: "error" })]), ["effect_lookup unknown"]);
  });

  it("a lookup by request counts for each of its keys", () => {
    const events = made([
      call({ id: "a" }),
      call({ id: "b", args: { key: "K2", order: "R1" } }),
      call({ id: "x", args: { key: "K3", order: "R2" } }),
      { id: "l", name: "find", start: 30, end: 40, args: { order: "R1" }, result: { found: true } },
    ]);
    const keys = events.filter(({ kind }) => kind === "effect_lookup").map(({ fields }) => fields.get("key"));

    assert.deepEqual(keys, ["K1", "K2"]);
  });

  it("a compensation names the key of what it undoes", () => {
    const events = made([
      call(),
      { ...call(), id: "z", name: "refund", args: { key: "K1c", id: "P1" }, result: {} },
    ]);
    const compensation = events.find(({ kind }) => kind === "compensation");

    assert.equal(field(compensation, "effect_key"), "K1");
    assert.equal(field(compensation, "key"), "K1c");
  });

  it("a signal on the call's span goes before what would be made of it", () => {
    const spans = [{ traceId: "r1", spanId: "s" }];
    const signal = {
      ...event({ id: "s#0", kind: "effect_observed", fields: { key: "K1", outcome: "ok" } }),
      spans,
    };
    const events = [{ ...event(call()), spans }, signal];
    const found = effectEvents(events, { ledgers, tools, isClosed: () => true, wasCutOff: () => false });

    assert.deepEqual(
      found.map(({ kind }) => kind),
      ["effect_call"],
    );
  });

  it("an intent of a process that is gone is an unknown outcome, unless a call of it was seen", () => {
    const intent: EventSpec = { id: "i", name: "plan", start: 0, end: 5, args: { key: "K1" } };

    assert.deepEqual(kinds([intent], { cutOff: true }), ["effect_intended", "effect_observed unknown"]);
    assert.deepEqual(kinds([intent], { cutOff: false }), ["effect_intended"]);
    assert.deepEqual(kinds([intent, call()], { cutOff: true }), [
      "effect_intended",
      "effect_call",
      "effect_observed ok",
    ]);
  });
});

describe("effect events", () => {
  const statuses = ["success", "error", "refused", "timeout", "running"] as const;
  const calls = fc.array(
    fc.record({
      name: fc.constantFrom("charge", "send", "find", "plan", "refund", "claim", "other"),
      status: fc.constantFrom(...statuses),
      key: fc.constantFrom("K1", "K2"),
      start: fc.nat(50),
      takes: fc.nat(20),
    }),
    { maxLength: 8 },
  );

  it("are a function of the set of events, with ids of their own", () => {
    fc.assert(
      fc.property(calls, fc.boolean(), fc.boolean(), (drawn, closed, cutOff) => {
        const specs = drawn.map(
          ({ name, status, key, start, takes }, index): EventSpec => ({
            id: `e${index}`,
            name,
            status,
            start,
            end: status === "running" ? "open" : start + takes,
            args: { key, order: "R1", id: "P1" },
            result: { id: `P${index}` },
          }),
        );
        const text = (events: readonly Event[]): readonly string[] =>
          events.map(({ id, kind, fields }) => `${id} ${kind} ${JSON.stringify([...fields].sort())}`).sort();
        const world = { closed, cutOff: closed && cutOff };
        const straight = made(specs, world);

        assert.deepEqual(text(made(specs.toReversed(), world)), text(straight));
        assert.equal(new Set(straight.map(({ id }) => id)).size, straight.length);
        for (const { fields } of straight) assert.ok(fields.has("ledger") && fields.has("event_id"));
      }),
    );
  });
});
