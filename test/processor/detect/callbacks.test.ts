import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { callbacks } from "../../../src/processor/detect/callbacks.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { no } from "../../../src/rules/truth.ts";
import fc from "../../support/properties.ts";
import { type EventSpec, event, plainClock } from "../../support/scope.ts";
import { bare, inWords } from "./ask.ts";

interface Asking {
  readonly closed?: boolean;
  readonly gap?: boolean;
  /** Tools that a contract declares. */
  readonly declared?: readonly string[];
}

/** `reason event < by`, with a `?` behind what only may be; sorted. */
function found(
  events: readonly Event[],
  { closed = true, gap = false, declared = [] }: Asking = {},
): readonly string[] {
  const input = {
    events,
    order: createOrder(events, plainClock, { closed: () => closed }),
    tools: new Map(declared.map((name) => [name, bare])),
    slot: { is: "tool" } as const,
    commute: () => no,
    closed: () => closed,
    gap,
  };
  return callbacks
    .find(input, [])
    .map((finding) => inWords(finding).replace("callback ", ""))
    .sort();
}

const request = (id: string, at: number, named: string, more: Partial<EventSpec> = {}): EventSpec => ({
  id,
  kind: "request",
  start: at,
  fields: { request_id: named },
  ...more,
});
const callback = (
  id: string,
  at: number,
  named: string,
  more: Partial<EventSpec> & { readonly with?: EventSpec["fields"] } = {},
): EventSpec => ({ id, kind: "callback", start: at, ...more, fields: { request_id: named, ...more.with } });
const call = (id: string, name: string, at: number, more: Partial<EventSpec> = {}): EventSpec => ({
  id,
  name,
  start: at,
  end: at + 5,
  ...more,
});

const rows: readonly {
  title: string;
  events: readonly EventSpec[];
  want: readonly string[];
  asking?: Asking;
}[] = [
  { title: "an answer to a request", events: [request("r", 0, "A"), callback("c", 9, "A")], want: [] },
  { title: "an answer to nobody's request", events: [callback("c", 9, "A")], want: ["unknown c < nothing"] },
  {
    title: "an answer to another's request",
    events: [request("r", 0, "B"), callback("c", 9, "A"), callback("d", 9, "B")],
    want: ["unknown c < nothing"],
  },
  {
    title: "an answer before its request",
    events: [callback("c", 0, "A"), request("r", 9, "A")],
    want: ["unknown c < r"],
  },
  {
    title: "an answer that may be before its request, by two clocks",
    events: [callback("c", 0, "A"), request("r", 9, "A", { host: "h2" })],
    want: ["unknown c < r?"],
  },
  {
    title: "an answer while a request's own id is hidden",
    events: [callback("c", 9, "A"), { id: "r", kind: "request", hidden: { request_id: "data_incomplete" } }],
    want: ["unknown c < nothing?"],
  },
  {
    title: "an answer in a conversation whose beginning nobody saw",
    events: [callback("c", 9, "A")],
    want: ["unknown c < nothing?"],
    asking: { gap: true },
  },
  { title: "a callback that names nothing", events: [{ id: "c", kind: "callback" }], want: [] },
  {
    title: "an answer to a call, by its call id",
    events: [call("a", "look", 0, { callId: "x" }), { id: "c", kind: "callback", start: 9, callId: "x" }],
    want: [],
  },
  {
    title: "an answer to a call, by its request id",
    events: [call("a", "look", 0, { fields: { request_id: "A" } }), callback("c", 9, "A")],
    want: [],
  },
  {
    title: "an answer under the id of another tool's call",
    events: [
      call("a", "look", 0, { callId: "x" }),
      call("b", "save", 0, { callId: "y" }),
      { id: "c", kind: "callback", name: "save", start: 9, callId: "x" },
    ],
    want: ["name_disagrees c < a"],
  },
  {
    title: "an answer in the name of a tool that is declared and was not called",
    events: [
      call("a", "look", 0, { callId: "x" }),
      { id: "c", kind: "callback", name: "send", start: 9, callId: "x" },
    ],
    asking: { declared: ["send"] },
    want: ["name_disagrees c < a"],
  },
  {
    title: "an answer in the name of the second of two calls that share an id",
    events: [
      call("a", "look", 0, { callId: "x" }),
      call("b", "save", 1, { callId: "x" }),
      { id: "c", kind: "callback", name: "save", start: 9, callId: "x" },
    ],
    want: [],
  },
  {
    title: "an answer whose name is no tool's",
    events: [
      call("a", "look", 0, { callId: "x" }),
      { id: "c", kind: "callback", name: "webhook", start: 9, callId: "x" },
    ],
    want: [],
  },
  {
    title: "a call that ran under another tool's id",
    events: [
      call("a", "look", 0, { callId: "x", status: "requested", start: "none", end: "none" }),
      call("b", "save", 0, { callId: "x", flaws: ["name_disagrees"] }),
    ],
    want: ["missing a < nothing", "name_disagrees b < a"],
  },
  {
    title: "an answer twice",
    events: [request("r", 0, "A"), callback("d", 9, "A"), callback("c", 8, "A")],
    want: ["duplicate d < c"],
  },
  {
    title: "an answer three times",
    events: [request("r", 0, "A"), callback("b", 7, "A"), callback("c", 8, "A"), callback("d", 9, "A")],
    want: ["duplicate c < b", "duplicate d < b"],
  },
  {
    title: "the answers to two attempts",
    events: [
      request("r", 0, "A"),
      callback("c", 8, "A", { with: { attempt: 1 } }),
      callback("d", 9, "A", { with: { attempt: 2 } }),
    ],
    want: [],
  },
  {
    title: "an unknown answer twice",
    events: [callback("c", 8, "A"), callback("d", 9, "A")],
    want: ["duplicate d < c", "unknown c < nothing", "unknown d < nothing"],
  },
  { title: "a request without an answer", events: [request("r", 0, "A")], want: ["missing r < nothing"] },
  {
    title: "a request that may still be answered",
    events: [request("r", 0, "A")],
    want: [],
    asking: { closed: false },
  },
  {
    title: "a request whose answer's id is hidden",
    events: [request("r", 0, "A"), { id: "c", kind: "callback", hidden: { request_id: "data_incomplete" } }],
    want: ["missing r < nothing?"],
  },
  {
    title: "a request that was completed, or admitted, without a callback",
    events: [
      request("r", 0, "A"),
      request("s", 0, "B"),
      { ...callback("c", 9, "A"), kind: "completed" },
      { ...callback("d", 9, "B"), kind: "admitted" },
    ],
    want: [],
  },
  {
    title: "a request that a call with its id carried out",
    events: [request("r", 0, "A"), call("a", "look", 1, { fields: { request_id: "A" } })],
    want: [],
  },
  { title: "a request without an id", events: [{ id: "r", kind: "request" }], want: [] },
  {
    title: "a call that was asked for and never ran",
    events: [call("a", "look", 0, { callId: "x", status: "requested", start: "none", end: "none" })],
    want: ["missing a < nothing"],
  },
  {
    title: "a call that waits for a person",
    events: [call("a", "look", 0, { callId: "x", status: "awaiting" })],
    want: [],
  },
];

describe("callbacks", () => {
  for (const { title, events, want, asking } of rows) {
    it(title, () => assert.deepEqual(found(events.map(event), asking), want));
  }

  it("are found as a search through all pairs finds them, in whatever order they stand", () => {
    const shape = fc.record({
      kind: fc.constantFrom("request", "callback", "callback", "completed"),
      id: fc.constantFrom("A", "B", null),
      at: fc.nat(6),
      attempt: fc.constantFrom(null, null, 1, 2),
    });
    const told = new Set<string>();
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 7 }), fc.infiniteStream(fc.nat(1000)), (shapes, ranks) => {
        const events = shapes.map(({ kind, id, at, attempt }, i) =>
          event({
            id: `e${i}`,
            kind,
            start: at * 10,
            fields: { ...(id !== null && { request_id: id }), ...(attempt !== null && { attempt }) },
          }),
        );
        const got = found(events).map((text) => text.replace(/ <.*?(\??)$/, "$1"));
        assert.deepEqual(got, slowly(shapes));
        const shuffled = events.map((one) => ({ one, rank: ranks.next().value ?? 0 }));
        shuffled.sort((a, b) => a.rank - b.rank);
        assert.deepEqual(found(shuffled.map(({ one }) => one)), found(events));
        for (const text of got) told.add(text.split(" ")[0] ?? "");
      }),
    );
    assert.deepEqual([...told].sort(), ["duplicate", "missing", "unknown"]);
  });
});

interface Shape {
  readonly kind: string;
  readonly id: string | null;
  readonly at: number;
  readonly attempt: number | null;
}

/** One clock, points ten milliseconds apart; a tie may be either order, and nothing is certain then. */
function slowly(shapes: readonly Shape[]): readonly string[] {
  const out: string[] = [];
  shapes.forEach((own, i) => {
    if (own.id === null) return;
    const others = shapes.map((one, j) => ({ ...one, j })).filter(({ id, j }) => id === own.id && j !== i);
    if (own.kind === "request" && !others.some(({ kind }) => kind !== "request")) out.push(`missing e${i}`);
    if (own.kind !== "callback") return;
    const asked = others.filter(({ kind }) => kind === "request");
    if (!asked.some(({ at }) => at < own.at)) {
      out.push(`unknown e${i}${asked.some(({ at }) => at === own.at) ? "?" : ""}`);
    }
    const twin = others.some(
      ({ kind, at, j, attempt }) =>
        kind === "callback" &&
        (at < own.at || (at === own.at && j < i)) &&
        (attempt === null || own.attempt === null || attempt === own.attempt),
    );
    if (twin) out.push(`duplicate e${i}`);
  });
  return out.sort();
}
