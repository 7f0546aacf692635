import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Commuting } from "../../../src/rules/commuting.ts";
import { because, no, yes } from "../../../src/rules/truth.ts";
import { type EventSpec, event } from "../../support/scope.ts";
import { type Asking, findings, inWords } from "./ask.ts";

const tools = { write: { effect: "write" }, read: { effect: "read" } } as const;

const call =
  (name: string) =>
  (
    id: string,
    start: number,
    end: number,
    fields: EventSpec["fields"] = {},
    more: Partial<EventSpec> = {},
  ): EventSpec => ({ id, name, start, end, fields: { resource: "T", agent: "one", ...fields }, ...more });
const write = call("write");
const read = call("read");
const conflict = { outcome: "conflict" };
const other = { agent: "two" };

interface Case {
  readonly name: string;
  readonly events: readonly EventSpec[];
  /** `reason event < by`, with a `?` behind what only may be and an `=` behind an echo. */
  readonly want: readonly string[];
  readonly asking?: Asking;
}

const cases: readonly Case[] = [
  {
    name: "a write that is refused, by the one that moved the version",
    events: [
      write("a", 0, 10, { if_match: 1, version: 2, ...other }),
      write("b", 20, 30, { if_match: 1, ...conflict }),
    ],
    want: ["refused b < a"],
  },
  {
    name: "a write that is refused, and nobody knows by whom",
    events: [write("b", 20, 30, { if_match: 1, ...conflict })],
    want: ["refused b < nothing"],
  },
  {
    name: "a write that is refused for a change of version",
    events: [
      { id: "v", kind: "version_change", start: 10, end: 10, fields: { resource: "T", version: 2 } },
      write("b", 20, 30, { if_match: 1, ...conflict }),
    ],
    want: ["refused b < v"],
  },
  {
    name: "forced through after a refusal",
    events: [write("a", 0, 10, { if_match: 1, ...conflict }), write("b", 20, 30)],
    want: ["forced b < a", "refused a < nothing"],
  },
  {
    name: "written again with the version that was refused",
    events: [write("a", 0, 10, { if_match: 1, ...conflict }), write("b", 20, 30, { if_match: 1 })],
    want: ["forced b < a", "refused a < nothing"],
  },
  {
    name: "written again after a new read",
    events: [
      write("a", 0, 10, { if_match: 1, ...conflict }),
      read("r", 20, 30, { version: 2 }),
      write("b", 40, 50, { if_match: 2 }),
    ],
    want: ["refused a < nothing"],
  },
  {
    name: "written again with a version that it was told",
    events: [write("a", 0, 10, { if_match: 1, ...conflict }), write("b", 20, 30, { if_match: 2 })],
    want: ["refused a < nothing"],
  },
  {
    name: "written by somebody else after a refusal",
    events: [write("a", 0, 10, { if_match: 1, ...conflict }), write("b", 20, 30, { ...other })],
    want: ["refused a < nothing"],
  },
  {
    name: "a read of another resource excuses nothing",
    events: [
      write("a", 0, 10, { if_match: 1, ...conflict }),
      read("r", 12, 15, { resource: "U", version: 2 }),
      write("b", 20, 30),
    ],
    want: ["forced b < a", "refused a < nothing"],
  },
  {
    name: "a read on another clock may have come between",
    events: [
      write("a", 0, 10, { if_match: 1, ...conflict }),
      read("r", 12, 15, { version: 2 }, { host: "h2" }),
      write("b", 20, 30),
    ],
    want: ["forced b < a?", "refused a < nothing"],
  },
  {
    name: "a refused write forces nothing",
    events: [
      write("a", 0, 10, { if_match: 1, ...conflict }),
      write("b", 20, 30, { if_match: 1, ...conflict }),
      write("c", 40, 50, {}, { status: "error" }),
    ],
    want: ["refused a < nothing", "refused b < nothing"],
  },
  {
    name: "two writes from one version",
    events: [write("a", 0, 10, { base_version: 1 }), write("b", 20, 30, { base_version: 1 })],
    want: ["lost_update b < a"],
  },
  {
    name: "two writes from one version, on clocks that cannot tell which came first",
    events: [write("a", 0, 10, { base_version: 1 }), write("b", 20, 30, { base_version: 1 }, { host: "h2" })],
    want: ["lost_update b < a"],
  },
  {
    name: "a write on an older version than another brought about",
    events: [write("a", 0, 10, { base_version: 2, version: 3 }), write("b", 20, 30, { base_version: 1 })],
    want: ["lost_update b < a"],
  },
  {
    name: "a write on the version that another brought about",
    events: [write("a", 0, 10, { base_version: 2, version: 3 }), write("b", 20, 30, { base_version: 3 })],
    want: [],
  },
  {
    name: "what another wrote after this one had read",
    events: [read("r", 0, 5), write("a", 10, 20, other), write("b", 30, 40)],
    want: ["lost_update b < a"],
  },
  {
    name: "what this one wrote itself after it had read",
    events: [read("r", 0, 5), write("a", 10, 20), write("b", 30, 40)],
    want: [],
  },
  {
    name: "read again after another wrote",
    events: [read("r", 0, 5), write("a", 10, 20, other), read("r2", 22, 25), write("b", 30, 40)],
    want: [],
  },
  {
    name: "two owners at once",
    events: [write("a", 0, 20), write("b", 10, 30, other)],
    want: ["several_owners b < a"],
  },
  {
    name: "one owner twice at once, and two owners in turn",
    events: [write("a", 0, 20), write("b", 10, 30), write("c", 40, 50, other)],
    want: [],
  },
  {
    name: "two owners of two resources",
    events: [write("a", 0, 20), write("b", 10, 30, { resource: "U", ...other })],
    want: [],
  },
  {
    name: "two owners of what names no resource",
    events: [
      { id: "a", name: "write", start: 0, end: 20, fields: { agent: "one" } },
      { id: "b", name: "write", start: 10, end: 30, fields: { agent: "two" } },
    ],
    want: [],
  },
  {
    name: "a call of which nothing is declared is a write by its precondition alone",
    events: [
      { id: "a", name: "put", start: 0, end: 20, fields: { resource: "T", if_match: 1, agent: "one" } },
      { id: "b", name: "put", start: 10, end: 30, fields: { resource: "T", agent: "two" } },
      { id: "c", name: "put", start: 12, end: 32, fields: { resource: "T", if_match: 4, agent: "two" } },
    ],
    want: ["several_owners c < a"],
  },
  {
    name: "a forced write that lost an update is told once",
    events: [
      write("a", 0, 10, { base_version: 1, version: 2, ...other }),
      write("b", 20, 30, { base_version: 1, ...conflict }),
      write("c", 40, 50, { base_version: 1 }),
    ],
    want: ["forced c < b", "lost_update c < a=", "refused b < a"],
  },
  {
    name: "what commutes is in no conflict",
    events: [write("a", 0, 20, { base_version: 1 }), write("b", 10, 30, { base_version: 1, ...other })],
    asking: { commute: () => yes },
    want: [],
  },
  {
    name: "what may commute may be in one",
    events: [write("a", 0, 20, { base_version: 1 }), write("b", 10, 30, { base_version: 1, ...other })],
    asking: { commute: (() => because("unknown", "not_captured")) satisfies Commuting },
    want: ["lost_update b < a?", "several_owners b < a?"],
  },
];

const conflicts = (specs: readonly EventSpec[], asking: Asking = {}) =>
  findings(specs.map(event), { tools, commute: () => no, ...asking }).filter(
    ({ detector }) => detector === "version_conflict",
  );

describe("version conflicts", () => {
  for (const { name, events, want, asking } of cases) {
    it(name, () => {
      const words = conflicts(events, asking)
        .map((finding) => `${inWords(finding).replace("version_conflict ", "")}${finding.echo ? "=" : ""}`)
        .sort();
      assert.deepEqual(words, want);
      const reversed = conflicts(events.toReversed(), asking).map(inWords).sort();
      assert.deepEqual(reversed, conflicts(events, asking).map(inWords).sort());
    });
  }

  it("compares a write with no more than the nearest ones before it", () => {
    const many = Array.from({ length: 200 }, (_, i) => write(`w${i}`, i * 10, i * 10 + 5, { version: i }));
    const last = write("last", 5000, 5010, { base_version: 10 });
    const [found] = conflicts([...many, last]);
    assert.equal(found?.by?.id, "w199");
  });
});

describe("the record of a version conflict", () => {
  it("has both sides, the base that they share, and the fields that both wrote, without what they wrote", () => {
    const [found] = conflicts([
      write(
        "a",
        0,
        10,
        { base_version: 18, version: 19, actor: "human", decision: "d1", service: "desk" },
        { args: { ticket: "T", status: "closed", note: "secret" } },
      ),
      write(
        "b",
        20,
        30,
        { base_version: 18, actor: "agent", seq: 4 },
        { args: { ticket: "T", status: "open", note: "secret", owner: "ana" } },
      ),
    ]);
    assert.deepEqual(found?.conflict, {
      resource: "T",
      commonBase: "18",
      sides: [
        {
          event: "b",
          actor: "agent",
          agent: "one",
          service: null,
          decision: "4",
          base: "18",
          result: null,
          fields: ["note", "owner", "status"],
        },
        {
          event: "a",
          actor: "human",
          agent: "one",
          service: "desk",
          decision: "d1",
          base: "18",
          result: "19",
          fields: ["note", "status"],
        },
      ],
      disputed: [
        { field: "note", same: true },
        { field: "status", same: false },
      ],
    });
    assert.doesNotMatch(JSON.stringify(found?.conflict), /secret|closed|open/);
  });

  it("takes the fields that the writes name themselves, and the older of two bases", () => {
    const [found] = conflicts([
      write("a", 0, 10, { base_version: 18, version: 20, field: ["status", "note"] }),
      write("b", 20, 30, { base_version: 17, field: "status" }),
    ]);
    assert.equal(found?.conflict?.commonBase, "17");
    assert.deepEqual(found?.conflict?.disputed, [{ field: "status", same: null }]);
  });

  it("has one side where nobody knows the other, and no base where two cannot be compared", () => {
    const [alone] = conflicts([write("b", 20, 30, { if_match: "etag-1", ...conflict })]);
    assert.deepEqual([alone?.conflict?.sides.length, alone?.conflict?.commonBase], [1, "etag-1"]);
    const [two] = conflicts([
      write("a", 0, 10, { if_match: "etag-1", version: "etag-2", ...other }),
      write("b", 20, 30, { if_match: "etag-0", ...conflict }),
    ]);
    assert.deepEqual([two?.conflict?.sides.length, two?.conflict?.commonBase], [2, null]);
  });
});
