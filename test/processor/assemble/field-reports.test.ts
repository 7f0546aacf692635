/** Trouble that users of tracing systems report, at the level of events: how many calls, how they ended, what is noted. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Flaw } from "../../../src/model/event.ts";
import { decodeTracesJson } from "../../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../../src/otlp/decode-limits.ts";
import type { Assembly } from "../../../src/processor/assemble/assemble.ts";
import { assembleClosed, everything } from "../../captures/judge-run.ts";
import { at } from "../normalize/make-span.ts";

const data = join(import.meta.dirname, "../../field-reports/data");

function assembled(id: string): Assembly {
  const body = readFileSync(join(data, `${id}.json`));
  const { spans } = decodeTracesJson(body, everything.plan, defaultDecodeLimits);
  return assembleClosed(spans.map((span) => everything.normalize(span, at(7_200_000), null)));
}

interface Row {
  readonly id: string;
  readonly title: string;
  /** Name and status of every call, in order of start. */
  readonly calls: readonly string[];
  /** Flaws of calls, with the name they stand on. */
  readonly flaws?: readonly string[];
  readonly runFlaws?: readonly Flaw[];
}

const rows: readonly Row[] = [
  {
    id: "A01",
    title: "two overlapping calls of one batch",
    calls: ["run_query success", "analyze_file success"],
  },
  {
    id: "A03",
    title: "one call id executed in two traces is two executions",
    calls: ["ask_user success", "send_email success", "send_email success", "ask_user success"],
  },
  {
    id: "A07",
    title: "a span that carries another tool's call id is not taken for it",
    calls: ["read_file success", "apply_patch success", "load_skill requested"],
    flaws: ["read_file name_disagrees"],
    runFlaws: ["name_disagrees"],
  },
  {
    id: "A12",
    title: "two parallel calls that share an id stay two",
    calls: ["update_state success", "update_state success"],
    flaws: ["update_state call_id_collision", "update_state call_id_collision"],
    runFlaws: ["call_id_collision"],
  },
  {
    id: "A14",
    title: "calls without ids are paired by arguments, not by order",
    calls: ["get_balance success", "get_balance success", "close_account success"],
  },
  {
    id: "A16",
    title: "denied attempts are refused, not failed",
    calls: [
      "run_implementer refused",
      "run_implementer refused",
      "run_implementer refused",
      "run_planner success",
      "run_implementer success",
    ],
  },
  {
    id: "A18",
    title: "two sessions in one trace are noted",
    calls: ["run_tests success", "run_validator success"],
    runFlaws: ["conversation_disagrees"],
  },
  { id: "T01", title: "one call of two instrumentations is one", calls: ["charge_card success"] },
  {
    id: "T02",
    title: "a run shattered over three traces",
    calls: ["check_requester success", "get_customer_plan success"],
  },
  {
    id: "T04",
    title: "a span back-dated before its parent",
    calls: ["memory_recall success", "write_note success"],
  },
  {
    id: "T06",
    title: "a pause is waiting, not an error",
    calls: ["human_approval awaiting", "human_approval success", "send_customer_email success"],
  },
  { id: "T07", title: "the word error in a result", calls: ["run_command success", "publish success"] },
  { id: "T09", title: "an error type without a status", calls: ["check_quota error", "start_job success"] },
  {
    id: "T10",
    title: "an end before its start",
    calls: ["read_ticket success", "update_ticket success"],
    flaws: ["read_ticket end_before_start"],
  },
  {
    id: "T15",
    title: "one call in five dialects",
    calls: [...Array(5).fill("get_ticket success"), ...Array(5).fill("update_ticket success")],
  },
  {
    id: "T17",
    title: "parents that never come",
    calls: ["build_query success", "run_query success"],
    flaws: ["build_query unresolved_parent", "run_query unresolved_parent"],
    runFlaws: ["unresolved_parent"],
  },
  {
    id: "T19",
    title: "a sub-agent with a session of its own",
    calls: ["check_requester success", "task success", "get_customer_plan success"],
    runFlaws: ["conversation_disagrees"],
  },
  { id: "T25", title: "a group of parallel calls is no call", calls: ["get_b success", "get_a success"] },
  {
    id: "P03",
    title: "the three status codes",
    calls: ["step_one success", "step_two error", "step_three success"],
  },
  { id: "P08", title: "an overlap of 50 ns", calls: ["read_balance success", "write_balance success"] },
  {
    id: "P10",
    title: "milliseconds in fields of nanoseconds",
    calls: ["read_ticket success", "update_ticket success", "read_ticket success"],
    flaws: ["update_ticket time_out_of_range", "read_ticket time_out_of_range"],
  },
  { id: "P12", title: "nulls everywhere", calls: ["check_requester success", "get_customer_plan success"] },
  {
    id: "P21",
    title: "two spellings of no parent",
    calls: ["check_requester success", "get_customer_plan success"],
  },
];

describe("field reports", () => {
  for (const row of rows) {
    it(`${row.id}: ${row.title}`, () => {
      const { events, runs } = assembled(row.id);
      const calls = events.filter((event) => event.kind === "tool_call");
      assert.deepEqual(
        calls.map((call) => `${call.name} ${call.status}`),
        row.calls,
      );
      assert.deepEqual(
        calls.flatMap((call) => call.flaws.map((flaw) => `${call.name} ${flaw}`)),
        row.flaws ?? [],
      );
      assert.deepEqual([...new Set([...runs.values()].flatMap((run) => run.flaws))], row.runFlaws ?? []);
    });
  }
});

it("A14: each read has the account that it was asked for", () => {
  const reads = assembled("A14").events.filter((event) => event.name === "get_balance");
  assert.deepEqual(
    reads.map((read) => [read.callId, JSON.stringify(read.args)]),
    [
      ["cA", '{"acct":"A"}'],
      ["cB", '{"acct":"B"}'],
    ],
  );
});

it("A18, T19: events keep the conversation that they name", () => {
  const conversations = (id: string): readonly (string | null)[] =>
    assembled(id)
      .events.filter((event) => event.kind === "tool_call")
      .map((event) => event.conversation);
  assert.deepEqual(conversations("A18"), ["A18-unknown", "A18-main"]);
  assert.deepEqual(conversations("T19"), ["T19-main", "T19-main", "T19-sub"]);
});

it("T01: the one event names both spans, the outer one first", () => {
  const [call] = assembled("T01").events.filter((event) => event.kind === "tool_call");
  assert.deepEqual(
    call?.spans.map((span) => span.spanId),
    ["77cac127751ca15b", "21eb6795eac37650"],
  );
});

it("T10, P10: stamps that cannot be believed are unknown", () => {
  const [read] = assembled("T10").events.filter((event) => event.name === "read_ticket");
  assert.equal(read?.end, "unknown");
  const lost = assembled("P10").events.filter((event) => event.flaws.includes("time_out_of_range"));
  assert.deepEqual(
    lost.map((event) => [event.start, event.end]),
    [
      ["unknown", "unknown"],
      ["unknown", "unknown"],
    ],
  );
});

it("T17: the parent that is missing is counted, and both calls are kept", () => {
  const [run] = assembled("T17").runs.values();
  assert.equal(run?.unresolvedParents, 2);
  assert.equal([...assembled("P21").runs.values()][0]?.unresolvedParents, 0);
});
