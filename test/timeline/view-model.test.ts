import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceVerdict } from "../../src/model/verdict.ts";
import { type TimelineInput, type TimelineRow, timelineOf } from "../../src/timeline/view-model.ts";
import fc from "../support/properties.ts";
import { gate, incident, input, ms, rule, type Written } from "./events.ts";

/** `2 name <marker, marker>`; `- name` for what is missing; `… n` for a fold. */
function short(row: TimelineRow): string {
  if (row.is === "folded") return `… ${row.count}`;
  if (row.is === "missing") return `- ${row.name}`;
  return `${row.position} ${row.name}${row.markers.length === 0 ? "" : ` <${row.markers.join(", ")}>`}`;
}

const rows = (...given: Parameters<typeof input>): readonly string[] =>
  timelineOf(input(...given)).rows.map(short);

/** Calls t1 … tn, with some replaced. */
function calls(count: number, replaced: Readonly<Record<number, Partial<Written>>> = {}): readonly Written[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `t${index + 1}`,
    name: `tool_${index + 1}`,
    ...replaced[index + 1],
  }));
}

describe("the slice of a timeline", () => {
  const plan = { name: "get_customer_plan" };
  const check = { name: "check_requester_authorization" };
  const late = (anchor: string, witness: string): Partial<InstanceVerdict> => ({
    anchor,
    witness,
    code: "witness_late",
    nearMisses: [{ event: witness, code: "witness_late" }],
  });

  it("keeps what decided, everything between, and two events on each side", () => {
    assert.deepEqual(rows(calls(20, { 6: plan, 9: check }), late("t6", "t9")), [
      "… 3",
      "4 tool_4",
      "5 tool_5",
      "6 get_customer_plan <sensitive access>",
      "7 tool_7",
      "8 tool_8",
      "9 check_requester_authorization <happened too late>",
      "10 tool_10",
      "11 tool_11",
      "… 9",
    ]);
  });

  it("shows a single event rather than a fold of one", () => {
    const got = rows(calls(8, { 4: plan, 5: check }), late("t4", "t5"));
    assert.equal(got[0], "1 tool_1");
    assert.equal(got.at(-1), "8 tool_8");
  });

  it("folds stretches of a very long slice in which nothing decided anything", () => {
    const got = rows(calls(1_000, { 6: plan, 990: check }), late("t6", "t990"));
    assert.deepEqual(
      got.filter((row) => row.startsWith("…")),
      ["… 3", "… 979", "… 8"],
    );
    assert.equal(got.length, 13);
  });

  it("is widened by the nearest of many near misses alone, best code first", () => {
    const denied = Array.from({ length: 30 }, (_, index) => ({
      event: `t${index + 1}`,
      code: "wrong_status" as const,
    }));
    const nearMisses = [{ event: "t40", code: "witness_late" as const }, ...denied];
    const got = rows(calls(50, { 36: plan }), { anchor: "t36", code: "witness_late", nearMisses });
    assert.equal(got[0], "… 24");
    assert.equal(got[3], "27 tool_27 <other outcome>");
    assert.ok(got.includes("40 tool_40 <happened too late>"));
    assert.equal(got.at(-1), "… 8");
  });

  it("leaves out model turns and agent runs, unless the rule or the verdict speaks of them", () => {
    const events: readonly Written[] = [
      { id: "a", kind: "agent_run", name: "support", start: 0, end: 100 },
      { id: "m", kind: "model_turn", name: "model-1", start: 1, end: 5 },
      { id: "t", name: "get_customer_plan", start: 6, end: 9 },
    ];
    const verdict = { anchor: "t", code: "witness_missing" } as const;
    const without = ["- check_requester_authorization", "1 get_customer_plan <sensitive access>"];
    assert.deepEqual(rows(events, verdict), without);
    assert.deepEqual(rows(events, { ...verdict, involved: ["m"] })[0], "1 model-1");
    assert.deepEqual(
      rows(events, verdict, { rule: rule({ kinds: new Set(["agent_run"]) }) })[0],
      "1 support",
    );
  });

  it("is the same whatever order the events come in", () => {
    const given = input(calls(20, { 6: plan, 9: check }), late("t6", "t9"));
    assert.deepEqual(timelineOf({ ...given, events: [...given.events].reverse() }), timelineOf(given));
  });

  it("puts a call that was only asked for behind the turn that asked", () => {
    const events: readonly Written[] = [
      { id: "m", kind: "model_turn", name: "model-1", start: 1, end: 5 },
      { id: "q", name: "get_customer_plan", status: "requested", decidedBy: "m" },
      { id: "z", name: "search", start: 6, end: 7 },
    ];
    assert.deepEqual(
      timelineOf(input(events, { anchor: "z" })).rows.map((row) => (row.is === "event" ? row.event : "")),
      ["q", "z"],
    );
  });

  it("shows the beginning of a run whose verdict names no event", () => {
    assert.equal(rows(calls(40), { code: "count_below" }, { rule: rule({ link: null }) }).at(-1), "… 28");
  });

  it("has no rows, and does not fail, without events", () => {
    assert.deepEqual(rows([], { code: "anchor_missing" }), ["- get_customer_plan"]);
  });
});

describe("what never happened", () => {
  const future = { ...gate, need: "future", anchor: "open_incident", witness: "page_oncall" } as const;
  const table: readonly {
    readonly name: string;
    readonly code: InstanceVerdict["code"];
    readonly parts?: Partial<TimelineInput>;
    readonly want: readonly string[];
  }[] = [
    {
      name: "stands before the anchor that needed it",
      code: "witness_missing",
      want: [
        "1 resolve_customer",
        "- check_requester_authorization",
        "2 get_customer_plan <sensitive access>",
      ],
    },
    {
      name: "stands at the end where it had to follow",
      code: "deadline_missed",
      parts: { rule: rule({ link: future }), tools: new Map() },
      want: ["1 resolve_customer", "2 get_customer_plan <no page_oncall in time>", "- page_oncall"],
    },
    {
      name: "is the later side of a pair",
      code: "anchor_missing",
      want: ["1 resolve_customer", "2 get_customer_plan <sensitive access>", "- get_customer_plan"],
    },
    {
      name: "is no row where the order is forbidden, since nothing is missing",
      code: "forbidden_after",
      parts: { rule: rule({ link: { ...gate, quant: "none", need: "future" } }) },
      want: ["1 resolve_customer", "2 get_customer_plan <sensitive access>"],
    },
  ];
  for (const { name, code, parts, want } of table) {
    it(name, () => {
      assert.deepEqual(rows(incident.slice(0, 2), { anchor: "e2", code }, parts), want);
    });
  }
});

describe("markers", () => {
  const anchor: Written = {
    id: "a",
    name: "create_enrollment",
    args: { plan_id: "gold", user_id: "u1" },
    start: 500,
    end: 600,
  };
  const link = { ...gate, anchor: "create_enrollment", witness: "acknowledge" };
  const bind = [
    ["args", "plan_id"],
    ["args", "user_id"],
  ].map((path) => ({ anchor: path, witness: path }));
  const table: readonly {
    readonly code: NonNullable<InstanceVerdict["code"]>;
    readonly witness?: Partial<Written>;
    readonly link?: Partial<typeof link>;
    readonly want: string;
  }[] = [
    { code: "witness_late", want: "happened too late" },
    { code: "overlap", want: "still running" },
    { code: "witness_never_finished", witness: { end: "open" }, want: "never finished" },
    {
      code: "wrong_entity",
      witness: { args: { plan_id: "bronze", user_id: "u1" } },
      link: { bind },
      want: "other plan",
    },
    {
      code: "wrong_entity",
      witness: { args: { plan_id: "bronze", user_id: "u2" } },
      link: { bind },
      want: "other plan and user",
    },
    { code: "unbound_key", witness: { args: { user_id: "u1" } }, link: { bind }, want: "carries no plan_id" },
    { code: "wrong_status", witness: { status: "refused" }, want: "denied" },
    { code: "wrong_status", witness: { status: "error" }, want: "failed" },
    { code: "wrong_status", witness: { status: "timeout" }, want: "timed out" },
    { code: "wrong_status", witness: { status: "running" }, want: "still running" },
    {
      code: "wrong_status",
      witness: { result: "denied" },
      link: { witnessPaths: [["result"]] },
      want: "denied",
    },
    {
      code: "wrong_status",
      witness: { result: "Dana's card 4111" },
      link: { witnessPaths: [["result"]] },
      want: "other outcome",
    },
    { code: "wrong_status", witness: { result: "denied" }, want: "other outcome" },
    { code: "expired", want: "expired" },
    { code: "expired", link: { within: true }, want: "too old" },
    { code: "invalidated", want: "no longer valid" },
    { code: "blocked", want: "already used" },
    { code: "same_decision", want: "same decision" },
    { code: "not_captured", want: "content not captured" },
    { code: "clock_contradiction", want: "clocks disagree" },
    { code: "order_unknown", want: "order unknown" },
  ];
  for (const { code, witness, link: parts, want } of table) {
    it(`say "${want}" for ${code}${witness === undefined ? "" : ` of ${JSON.stringify(witness)}`}`, () => {
      const shown = timelineOf(
        input(
          [{ id: "w", name: "acknowledge", start: 0, end: 400, ...witness }, anchor],
          { anchor: "a", code, nearMisses: [{ event: "w", code }] },
          { rule: rule({ link: { ...link, ...parts } as typeof gate }), tools: new Map() },
        ),
      );
      const row = shown.rows.find((candidate) => candidate.is === "event" && candidate.event === "w");
      assert.deepEqual(row?.is === "event" ? row.markers : null, [want]);
    });
  }

  it("come from the tool's note, else from its traits", () => {
    const tools: TimelineInput["tools"] = new Map([
      ["get_customer_plan", { note: null, access: "sensitive", effect: "read" }],
      ["resolve_customer", { note: null, access: null, effect: "external" }],
      ["check_feature_entitlement", { note: null, access: null, effect: "write" }],
      ["retrieve_entitlement_policy", { note: "policy", access: "sensitive", effect: "external" }],
      ["check_requester_authorization", { note: null, access: "plain", effect: "read" }],
    ]);
    assert.deepEqual(rows(incident, { anchor: "e2", witness: "e3", code: "witness_late" }, { tools }), [
      "1 resolve_customer <external effect>",
      "2 get_customer_plan <sensitive access>",
      "3 check_requester_authorization <happened too late>",
      "4 retrieve_entitlement_policy <policy>",
      "5 check_feature_entitlement <write>",
      "6 final_answer",
    ]);
  });

  it("mark what broke a proof where only the rule's own blockers tell it", () => {
    const three: readonly Written[] = [
      { id: "p", name: "acknowledge" },
      { id: "b", name: "load_catalog" },
      { id: "e", name: "enroll" },
    ];
    const link = { ...gate, anchor: "enroll", witness: "acknowledge", blockers: new Set(["b"]) };
    const of = (code: "invalidated" | "blocked"): readonly string[] =>
      rows(three, { anchor: "e", code, nearMisses: [{ event: "p", code }] }, { rule: rule({ link }) });
    assert.deepEqual(of("invalidated"), [
      "1 acknowledge <no longer valid>",
      "2 load_catalog <made it void>",
      "3 enroll <relied on acknowledge>",
    ]);
    assert.equal(of("blocked")[1], "2 load_catalog <came in between>");
  });

  it("name the forbidden event, the event that voided a proof, and one call too many", () => {
    const forbidden = {
      ...gate,
      anchor: "commit",
      witness: "modify",
      need: "future",
      quant: "none",
    } as const;
    const two: readonly Written[] = [
      { id: "c", name: "commit" },
      { id: "m", name: "modify" },
    ];
    assert.deepEqual(
      rows(two, { anchor: "c", witness: "m", code: "forbidden_after" }, { rule: rule({ link: forbidden }) }),
      ["1 commit <no modify from here on>", "2 modify <forbidden after commit>"],
    );
    assert.deepEqual(
      rows(two, { anchor: "m", code: "invalidated", involved: ["c"] }, { rule: rule({ link: gate }) })[0],
      "1 commit <made it void>",
    );
    assert.deepEqual(
      rows(two, { code: "count_exceeded", involved: ["m"] }, { rule: rule({ link: null }) })[1],
      "2 modify <one too many>",
    );
  });
});

describe("the slice of any run", () => {
  it("shows each named event once, in order, two neighbours of each, and loses none", () => {
    const run = fc.record({
      times: fc.array(fc.record({ start: fc.nat(500), takes: fc.nat(60) }), { minLength: 1, maxLength: 400 }),
      picks: fc.array(fc.nat(399), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(run, ({ times, picks }) => {
        const written = times.map(({ start, takes }, index) => ({
          id: `t${index}`,
          name: `tool_${index}`,
          start,
          end: start + takes,
        }));
        const named = [...new Set(picks.map((pick) => `t${pick % times.length}`))];
        const [anchor = null, ...misses] = named;
        const nearMisses = misses.map((miss) => ({ event: miss, code: "witness_late" as const }));
        const shown = timelineOf(input(written, { anchor, code: "witness_late", nearMisses })).rows;

        const events = shown.flatMap((row) => (row.is === "event" ? [row] : []));
        const folded = shown.reduce((sum, row) => sum + (row.is === "folded" ? row.count : 0), 0);
        assert.equal(events.length + folded, written.length);
        assert.deepEqual(
          events.map(({ position }) => position),
          events.map(({ position }) => position).toSorted((a, b) => a - b),
        );
        assert.equal(new Set(events.map(({ event }) => event)).size, events.length);
        const positions = new Set(events.map(({ position }) => position));
        for (const id of named) {
          const at = events.find(({ event }) => event === id)?.position ?? assert.fail(`${id} is not shown`);
          for (const near of [at - 2, at - 1, at + 1, at + 2]) {
            assert.ok(near < 1 || near > written.length || positions.has(near), `${near}, beside ${id}`);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("times", () => {
  const events: readonly Written[] = [
    { id: "p", name: "product", start: 1_000, end: 4_000 },
    { id: "q", name: "policy", start: 1_000, end: 6_000 },
    { id: "s", name: "synthesize", start: 5_000, end: "open" },
  ];
  const shown = (timed: boolean) =>
    timelineOf(input(events, { anchor: "s", witness: "q", code: "overlap" }, { timed })).rows.map((row) =>
      row.is === "event" ? { offset: row.offset, duration: row.duration, during: row.during } : null,
    );

  it("are relative to the first event, with durations and what was running", () => {
    assert.deepEqual(shown(true), [
      { offset: ms(0), duration: ms(3_000), during: [] },
      { offset: ms(0), duration: ms(5_000), during: [1] },
      { offset: ms(4_000), duration: "open", during: [2] },
    ]);
  });

  it("are left out where positions stand in for them", () => {
    assert.deepEqual(shown(false), Array(3).fill({ offset: null, duration: null, during: [] }));
  });
});

describe("the heading", () => {
  const verdict = (code: InstanceVerdict["code"], parts: Partial<InstanceVerdict> = {}) => ({
    anchor: "e2",
    code,
    ...parts,
  });
  const failure = (...given: Parameters<typeof input>): string => timelineOf(input(...given)).failure;

  it("is the rule's title, else its category and the names as they were seen", () => {
    assert.equal(
      failure(incident, verdict("witness_late"), { rule: rule({ title: "gate broken" }) }),
      "gate broken",
    );
    assert.equal(
      failure(incident, verdict("witness_late")),
      "safety gate violated: get_customer_plan before check_requester_authorization",
    );
    assert.equal(
      failure(incident, verdict("witness_missing")),
      "safety gate violated: get_customer_plan without check_requester_authorization",
    );
  });

  it("never calls an undecided verdict violated", () => {
    const undecided = verdict("order_unknown", { verdict: "inconclusive" });
    assert.match(failure(incident, undecided), /not decided/);
    assert.match(failure(incident, undecided, { rule: rule({ title: "gate broken" }) }), /not decided/);
  });

  it("says what would decide an undecided verdict, and nothing of the kind of a decided one", () => {
    const given = input(incident, verdict("not_captured", { verdict: "inconclusive" }));
    assert.match(timelineOf(given).cure ?? "", /switch their capture on/);
    assert.equal(timelineOf(input(incident, verdict("not_captured"))).cure, null);
  });

  it("explains itself by category where the rule gives no why", () => {
    assert.match(timelineOf(input(incident, verdict("witness_late"))).why, /safety boundary/);
    assert.equal(
      timelineOf(input(incident, verdict(null), { rule: rule({ why: " Because\n  of it. " }) })).why,
      "Because of it.",
    );
  });
});
