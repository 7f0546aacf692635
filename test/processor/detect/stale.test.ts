import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { StaleReason } from "../../../src/model/output.ts";
import type { Slot } from "../../../src/rules/rule.ts";
import { type EventSpec, event } from "../../support/scope.ts";
import { found, type Tools } from "./ask.ts";

type Spec = EventSpec & { readonly by?: string; readonly span?: string; readonly told?: readonly string[] };

interface Case {
  readonly name: string;
  readonly events: readonly Spec[];
  /** `detector reason event < by`, with a `?` behind what only may be. */
  readonly want: readonly string[];
  readonly tools?: Tools;
  readonly slot?: Slot;
}

const lookup = (id: string, start: number, end: number, fields: EventSpec["fields"] = {}): Spec => ({
  id,
  name: "lookup",
  start,
  end,
  fields,
});
const superseded = (id: string, by: string): string => `stale_result superseded ${id} < ${by}`;

const groups: Readonly<Record<string, readonly Case[]>> = {
  superseded: [
    {
      name: "a later decision's call of the tool began before this one ended",
      events: [lookup("a", 0, 10, { seq: 1 }), lookup("b", 4, 5, { seq: 2 })],
      want: [superseded("a", "b")],
    },
    {
      name: "the later call began after the end",
      events: [lookup("a", 0, 4, { seq: 1 }), lookup("b", 5, 6, { seq: 2 })],
      want: [],
    },
    {
      name: "it began at the very end: a tie proves nothing",
      events: [lookup("a", 0, 5, { seq: 1 }), lookup("b", 5, 6, { seq: 2 })],
      want: [`${superseded("a", "b")}?`],
    },
    {
      name: "siblings of one decision are concurrent",
      events: [lookup("a", 0, 10, { seq: 1 }), lookup("b", 4, 5, { seq: 1 })],
      want: [],
    },
    {
      name: "the later decision supersedes, though its call began first",
      events: [lookup("a", 0, 10, { seq: 2 }), lookup("b", 4, 5, { seq: 1 })],
      want: [superseded("b", "a")],
    },
    {
      name: "another tool is another slot",
      events: [lookup("a", 0, 10, { seq: 1 }), { ...lookup("b", 4, 5, { seq: 2 }), name: "other" }],
      want: [],
    },
    {
      name: "with slot any, any tool will do",
      events: [lookup("a", 0, 10, { seq: 1 }), { ...lookup("b", 4, 5, { seq: 2 }), name: "other" }],
      slot: { is: "any" },
      want: [superseded("a", "b")],
    },
    {
      name: "with paths, the same values: not another account",
      events: [
        { ...lookup("a", 0, 10, { seq: 1 }), args: { account: 1 } },
        { ...lookup("b", 4, 5, { seq: 2 }), args: { account: 2 } },
        { ...lookup("c", 6, 7, { seq: 3 }), args: { account: "1" } },
      ],
      slot: { is: "paths", paths: [["args", "account"]] },
      want: [superseded("a", "c")],
    },
    {
      name: "a value that is hidden may be the same one",
      events: [
        { ...lookup("a", 0, 10, { seq: 1 }), args: { account: 1 } },
        { ...lookup("b", 4, 5, { seq: 2 }), hidden: { args: "not_captured" } },
      ],
      slot: { is: "paths", paths: [["args", "account"]] },
      want: [`${superseded("a", "b")}?`],
    },
    {
      name: "the tool's own slot goes before the deployment's",
      events: [lookup("a", 0, 10, { seq: 1 }), { ...lookup("b", 4, 5, { seq: 2 }), name: "other" }],
      tools: { lookup: { slot: { is: "any" } } },
      want: [superseded("a", "b")],
    },
    {
      name: "the model turns that asked tell where numbers are missing",
      events: [
        { id: "t1", kind: "model_turn", start: 0, end: 1, invocation: "i" },
        { id: "t2", kind: "model_turn", start: 3, end: 4, invocation: "i" },
        { ...lookup("a", 1, 10), by: "t1" },
        { ...lookup("b", 4, 5), by: "t2" },
      ],
      want: [superseded("a", "b")],
    },
    {
      name: "turns of two invocations are concurrent",
      events: [
        { id: "t1", kind: "model_turn", start: 0, end: 1, invocation: "i" },
        { id: "t2", kind: "model_turn", start: 3, end: 4, invocation: "j" },
        { ...lookup("a", 1, 10), by: "t1" },
        { ...lookup("b", 4, 5), by: "t2" },
      ],
      want: [],
    },
    {
      name: "numbers of two runs are not the same numbers",
      events: [lookup("a", 0, 10, { seq: 1 }), { ...lookup("b", 4, 5, { seq: 2 }), run: "r2" }],
      want: [],
    },
    {
      name: "two agents of one trace count for themselves",
      events: [
        { ...lookup("a", 0, 10, { seq: 1, agent: "x" }) },
        { ...lookup("b", 4, 5, { seq: 2, agent: "y" }) },
      ],
      want: [],
    },
    {
      name: "a run that goes on in another trace counts on",
      events: [
        lookup("a", 0, 10, { seq: 1, run_id: "R" }),
        { ...lookup("b", 4, 5, { seq: 2, run_id: "R" }), run: "r2" },
      ],
      want: [superseded("a", "b")],
    },
    {
      name: "a signal says so of the decision",
      events: [
        lookup("a", 0, 10, { decision: "d1" }),
        { id: "s", kind: "superseded", start: 3, end: 3, fields: { decision: "d1" } },
      ],
      want: [superseded("a", "s")],
    },
    {
      name: "a call that was stopped gave no result",
      events: [{ ...lookup("a", 0, 10, { seq: 1 }), status: "cancelled" }, lookup("b", 4, 5, { seq: 2 })],
      want: [],
    },
    {
      name: "a call that has not ended has no result yet",
      events: [{ ...lookup("a", 0, 0, { seq: 1 }), end: "open" }, lookup("b", 4, 5, { seq: 2 })],
      want: [],
    },
    {
      name: "inside the skew of two clocks nothing is certain",
      events: [lookup("a", 0, 1_010, { seq: 1 }), { ...lookup("b", 1_000, 1_200, { seq: 2 }), host: "h2" }],
      want: [`${superseded("a", "b")}?`],
    },
  ],
  turn: [
    {
      name: "a newer turn, by number",
      events: [lookup("a", 0, 10, { turn: 1 }), lookup("b", 4, 5, { turn: 2 })],
      want: ["stale_result turn a < b"],
    },
    {
      name: "a newer turn, by its name and when it began",
      events: [lookup("a", 0, 10, { turn: "x" }), lookup("b", 4, 5, { turn: "w" })],
      want: ["stale_result turn a < b"],
    },
    {
      name: "a user turn while the call runs, whoever asked for it",
      events: [lookup("a", 0, 10), { id: "u", kind: "user_turn", start: 5, end: 5 }],
      want: ["stale_result turn a < u"],
    },
    {
      name: "the user turn that the call is for",
      events: [{ id: "u", kind: "user_turn", start: 0, end: 0 }, lookup("a", 1, 10)],
      want: [],
    },
    {
      name: "a later trace of the conversation, where nothing says anything of turns",
      events: [
        { id: "t1", kind: "model_turn", start: 0, end: 1 },
        { id: "t2", kind: "model_turn", start: 5, end: 6, run: "r2" },
        { ...lookup("a", 1, 10), by: "t1" },
      ],
      want: ["stale_result turn a < t2"],
    },
    {
      name: "a trace that resumes is no newer turn",
      events: [
        { id: "t1", kind: "model_turn", start: 0, end: 1 },
        { id: "t2", kind: "model_turn", start: 5, end: 6, run: "r2" },
        { ...lookup("a", 1, 10), by: "t1" },
        { ...lookup("c", 4, 5), name: "send", run: "r2", by: "t1" },
      ],
      want: [],
    },
  ],
  run: [
    {
      name: "a newer run of the conversation",
      events: [lookup("a", 0, 10, { run_id: "R1" }), { ...lookup("b", 4, 5, { run_id: "R2" }), run: "r2" }],
      want: ["stale_result run a < b"],
    },
    {
      name: "an older run",
      events: [lookup("a", 3, 10, { run_id: "R1" }), { ...lookup("b", 1, 5, { run_id: "R2" }), run: "r2" }],
      want: ["stale_result run b < a"],
    },
    {
      name: "a run inside it is its helper",
      events: [
        { ...lookup("a", 0, 10, { run_id: "R1" }), span: "s1" },
        { ...lookup("b", 4, 5, { run_id: "R2" }), span: "s2/s1" },
      ],
      want: [],
    },
  ],
  version: [
    {
      name: "another event shows a newer state before the end",
      events: [
        lookup("a", 0, 10, { base_version: 7 }),
        { id: "v", kind: "version_change", start: 5, end: 5, fields: { state_version: 8 } },
      ],
      want: ["stale_result version a < v"],
    },
    {
      name: "what the call started from is what it names, where it names one version",
      events: [
        lookup("a", 0, 10, { state_version: 7 }),
        { ...lookup("b", 4, 5, { state_version: 8 }), name: "other" },
      ],
      want: ["stale_result version a < b"],
    },
    {
      name: "a write that names both brings the new one about by its end",
      events: [
        lookup("a", 0, 10, { state_version: 7 }),
        { ...lookup("b", 4, 12, { base_version: 7, state_version: 8 }), name: "write" },
      ],
      want: [],
    },
    {
      name: "another resource's version says nothing",
      events: [
        lookup("a", 0, 10, { base_version: 7, resource: "T" }),
        { id: "v", kind: "version_change", start: 5, end: 5, fields: { version: 8, resource: "U" } },
      ],
      want: [],
    },
    {
      name: "texts have no order: another one that came after the call began",
      events: [
        lookup("a", 2, 10, { base_version: "r-b" }),
        { id: "u", kind: "version_change", start: 1, end: 1, fields: { state_version: "r-z" } },
        { id: "v", kind: "version_change", start: 5, end: 5, fields: { state_version: "r-a" } },
      ],
      want: ["stale_result version a < v"],
    },
    {
      name: "a read that names both saw the state move",
      events: [lookup("a", 0, 10, { base_version: 7, state_version: 8 })],
      tools: { lookup: { effect: "read" } },
      want: ["stale_result version a < a"],
    },
    {
      name: "a sibling moved it: they were decided on one state",
      events: [
        lookup("a", 0, 10, { seq: 1, state_version: 7 }),
        { ...lookup("b", 4, 5, { seq: 1, state_version: 8 }), name: "other" },
      ],
      want: [],
    },
  ],
  cancelled: [
    ...(["request_id", "decision", "turn", "run_id"] as const).map(
      (name): Case => ({
        name: `a cancel that names its ${name}`,
        events: [
          lookup("a", 0, 10, { [name]: "x" }),
          { id: "x", kind: "cancel_requested", start: 5, end: 5, fields: { [name]: "x" } },
        ],
        want: ["stale_result cancelled a < x"],
      }),
    ),
    {
      name: "a cancel of another decision",
      events: [
        lookup("a", 0, 10, { decision: "d1" }),
        { id: "x", kind: "cancel_requested", start: 5, end: 5, fields: { decision: "d2" } },
      ],
      want: [],
    },
    {
      name: "a cancel after the end",
      events: [
        lookup("a", 0, 10, { decision: "d1" }),
        { id: "x", kind: "cancel_requested", start: 15, end: 15, fields: { decision: "d1" } },
      ],
      want: [],
    },
    {
      name: "a cancel that names nothing is about what its trace had begun",
      events: [
        lookup("a", 0, 10),
        { id: "x", kind: "cancel_requested", start: 5, end: 5 },
        { ...lookup("b", 6, 8), name: "other" },
        { ...lookup("c", 0, 10), run: "r2" },
      ],
      want: ["stale_result cancelled a < x"],
    },
    {
      name: "one that stands on the call's own span is within it",
      events: [
        { ...lookup("a", 0, 10), span: "s1" },
        {
          id: "x",
          kind: "cancel_requested",
          start: { earliest: 0n, latest: 10_000_000n } as never,
          end: 10,
          span: "s1",
        },
      ],
      want: ["stale_result cancelled a < x"],
    },
  ],
  "stale effect": [
    {
      name: "a write that began after a later decision had called the tool",
      events: [lookup("a", 5, 10, { seq: 1 }), lookup("b", 3, 4, { seq: 2 })],
      tools: { lookup: { effect: "write" } },
      want: ["stale_effect superseded a < b", superseded("a", "b")],
    },
    {
      name: "while it still runs",
      events: [
        { ...lookup("a", 5, 0, { turn: 1 }), end: "open" },
        { id: "u", kind: "user_turn", start: 3, end: 3, fields: { turn: 2 } },
      ],
      tools: { lookup: { effect: "external" } },
      want: ["stale_effect turn a < u"],
    },
    {
      name: "a read is no effect",
      events: [lookup("a", 5, 10, { seq: 1 }), lookup("b", 3, 4, { seq: 2 })],
      tools: { lookup: { effect: "read" } },
      want: [superseded("a", "b")],
    },
    {
      name: "of a tool that nobody describes it may be one",
      events: [lookup("a", 5, 10, { seq: 1 }), lookup("b", 3, 4, { seq: 2 })],
      want: ["stale_effect superseded a < b?", superseded("a", "b")],
    },
    {
      name: "it had begun before",
      events: [lookup("a", 2, 10, { seq: 1 }), lookup("b", 3, 4, { seq: 2 })],
      tools: { lookup: { effect: "write" } },
      want: [superseded("a", "b")],
    },
  ],
  "stale applied": [
    {
      name: "a later event was built on it",
      events: [
        lookup("a", 0, 10, { seq: 1 }),
        lookup("b", 4, 5, { seq: 2 }),
        { id: "d", name: "draft", start: 12, end: 13, fields: { parents: ["a"], seq: 3 } },
      ],
      want: ["stale_applied superseded a < d", superseded("a", "b")],
    },
    {
      name: "it is marked applied",
      events: [lookup("a", 0, 10, { seq: 1, applied: true }), lookup("b", 4, 5, { seq: 2 })],
      want: ["stale_applied superseded a < a", superseded("a", "b")],
    },
    {
      name: "it is marked left out",
      events: [lookup("a", 0, 10, { seq: 1, disposition: "archived" }), lookup("b", 4, 5, { seq: 2 })],
      want: [superseded("a", "b")],
    },
    {
      name: "a model was told of it",
      events: [
        { ...lookup("a", 0, 10, { seq: 1 }), callId: "c1" },
        lookup("b", 4, 5, { seq: 2 }),
        { id: "t", kind: "model_turn", start: 11, end: 12, told: ["c1"] },
      ],
      want: ["stale_applied superseded a < t", superseded("a", "b")],
    },
    {
      name: "models are shown to be told of others only",
      events: [
        { ...lookup("a", 0, 10, { seq: 1 }), callId: "c1" },
        lookup("b", 4, 5, { seq: 2 }),
        { id: "t", kind: "model_turn", start: 11, end: 12, told: ["c2"] },
      ],
      want: [superseded("a", "b")],
    },
    {
      name: "an id that came again means the last call before it",
      events: [
        { ...lookup("a", 0, 10, { seq: 1 }), callId: "c1" },
        { ...lookup("b", 4, 5, { seq: 2 }), callId: "c1" },
        { id: "t", kind: "model_turn", start: 11, end: 12, told: ["c1"] },
      ],
      want: [superseded("a", "b")],
    },
  ],
};

describe("stale results and effects", () => {
  for (const [group, cases] of Object.entries(groups)) {
    describe(group, () => {
      for (const { name, events, want, tools, slot } of cases) {
        it(name, () => {
          // What only a use that nobody can see leaves open is no part of a case about something else.
          const own = found(events.map(build), { tools, slot }).filter(
            (text) => !(text.startsWith("stale_applied") && text.endsWith("?")),
          );
          const reads = group === "stale effect" || group === "stale applied";
          const asked = own.filter((text) => reads || !text.startsWith("stale_effect"));
          assert.deepEqual(asked, [...want].sort());
        });
      }
    });
  }

  it("names every reason in its own group", () => {
    const reasons: readonly StaleReason[] = ["superseded", "turn", "run", "version", "cancelled"];
    for (const reason of reasons) assert.ok((groups[reason]?.length ?? 0) >= 3, reason);
  });
});

function build({ by, span, told, ...spec }: Spec): Event {
  const [spanId, parentId] = span?.split("/") ?? [];
  const made = event(spec);
  return {
    ...made,
    decidedBy: by ?? null,
    spans: spanId === undefined ? [] : [{ traceId: made.run, spanId }],
    parent: parentId === undefined ? null : { traceId: made.run, spanId: parentId },
    ...(told === undefined ? {} : { told }),
  };
}
