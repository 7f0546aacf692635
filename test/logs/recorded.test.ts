/** Log streams of coding agents are judged by the contracts that judge spans, in files and through the receiver. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type JudgedTraces, judgeTraces, recordedSettings } from "../../src/cli/judge-traces.ts";
import { type LoadedTraces, readTraces } from "../../src/cli/traces.ts";
import type { Event } from "../../src/model/event.ts";
import type { LogRecord } from "../../src/model/log-record.ts";
import { type CoreSettings, defaultSettings } from "../../src/model/settings.ts";
import type { Span } from "../../src/model/span.ts";
import { minutes, unixNano } from "../../src/model/time.ts";
import { canonicalText } from "../../src/model/value.ts";
import { makeSpan } from "../processor/normalize/make-span.ts";
import fc from "../support/properties.ts";
import { runService } from "../support/running-service.ts";
import { contractSource, type Story, stories } from "./stories.ts";

const all = stories();

const loaded = (records: readonly LogRecord[], spans: readonly Span[] = []): LoadedTraces => ({
  file: "t",
  spans,
  records,
  events: [],
  timed: true,
  refused: [],
});

function judge(traces: readonly LoadedTraces[], settings: CoreSettings = defaultSettings): JudgedTraces {
  return judgeTraces([contractSource], recordedSettings(settings), traces);
}

/** Rule → verdict over all runs, the vacuous ones too. */
function verdictsOf({ runs }: JudgedTraces): Record<string, string> {
  return Object.fromEntries(
    runs.flatMap((run) => run.verdicts.map(({ rule, result }) => [rule.id, result.verdict])),
  );
}

const stampOf = (moment: Event["start"]): string =>
  typeof moment === "object" && "at" in moment ? moment.at.toString() : String(moment);

const eventsOf = ({ runs }: JudgedTraces): readonly Event[] => runs.flatMap((run) => run.events);

function assertTruth({ truth }: Story, judged: JudgedTraces): void {
  const events = eventsOf(judged);
  const kind = (wanted: string): readonly Event[] => events.filter((event) => event.kind === wanted);
  assert.deepEqual(
    judged.runs.map(({ run }) => run),
    [truth.run],
  );
  assert.deepEqual(
    kind("tool_call").map((event) => ({
      tool: event.name,
      call_id: event.callId,
      status: event.status,
      start: stampOf(event.start),
      end: stampOf(event.end),
    })),
    truth.calls,
  );
  assert.deepEqual(
    kind("approval").map((event) => ({ tool: event.name, call_id: event.callId, at: stampOf(event.start) })),
    truth.approvals,
  );
  assert.equal(kind("model_turn").length, truth.model_turns);
  assert.deepEqual(
    kind("user_turn").map((event) => event.fields.get("turn") ?? event.name),
    truth.user_turns,
  );
  assert.equal(new Set(events.map(({ conversation }) => conversation)).size, 1);
  assert.deepEqual(verdictsOf(judged), truth.verdicts);
}

/** Everything that a rule could see of the events, in their order. */
const seen = (judged: JudgedTraces): string =>
  eventsOf(judged)
    .map((event) =>
      canonicalText([
        event.id,
        event.kind,
        event.name,
        event.status,
        stampOf(event.start),
        stampOf(event.end),
        event.callId,
        event.args ?? null,
        event.result ?? null,
        [...event.fields].map(([key, value]) => [key, value]),
      ]),
    )
    .join("\n");

it("there are streams of three agents, good and bad", () => {
  assert.ok(all.length >= 5);
  assert.deepEqual(
    [...new Set(all.map(({ name }) => name.split(".")[0]))],
    ["claude-code", "codex", "gemini-cli"],
  );
});

for (const story of all) {
  describe(story.name, () => {
    it("gives the calls, approvals, turns and verdicts of its truth", () => {
      assertTruth(story, judge([loaded(story.records)]));
    });

    it("is recognised as NDJSON, as one request, as protobuf, and gzipped", () => {
      const files = [
        [Buffer.from(story.json.join("\n"))],
        [Buffer.from(`[${story.json.join(",")}]`)],
        story.json.map((line) => Buffer.from(line)),
        story.protobuf.map((bytes) => Buffer.from(bytes)),
        [Buffer.concat(story.protobuf)],
        [gzipSync(story.json.join("\n"))],
      ];
      for (const bodies of files) {
        const traces = bodies.map((bytes, index) => readTraces({ name: `f${index}`, bytes }, `r${index}`));
        assertTruth(story, judge(traces));
      }
    });

    it("gives the same events in any order of arrival, with every record sent twice", () => {
      const straight = seen(judge([loaded(story.records)]));
      fc.assert(
        fc.property(
          fc.shuffledSubarray([...story.records], { minLength: story.records.length }),
          fc.subarray([...story.records]),
          (records, again) => {
            assert.equal(seen(judge([loaded([...records, ...again])])), straight);
          },
        ),
        { numRuns: 20 },
      );
    });

    it("is judged as the same story told by spans is", () => {
      const spans = spansOf(eventsOf(judge([loaded(story.records)])));
      assert.equal(spans.length, story.truth.calls.length + story.truth.approvals.length);
      const told = judge([loaded([], spans)], { ...defaultSettings, mappings: [approvals] });
      assert.deepEqual(verdictsOf(told), story.truth.verdicts);
    });

    it("is one event a call where spans and log records tell of it", () => {
      const spans = spansOf(
        eventsOf(judge([loaded(story.records)])).filter(({ kind }) => kind === "tool_call"),
      );
      const judged = judge([loaded(story.records, spans)]);
      const calls = eventsOf(judged).filter(({ kind, callId }) => kind === "tool_call" && callId !== null);
      const ids = story.truth.calls.flatMap(({ call_id: id }) => id ?? []);
      assert.deepEqual(
        calls.map(({ callId }) => callId),
        ids,
      );
      assert.ok(
        calls.every((call) => call.spans[0]?.traceId === "t1"),
        "the span is the call's own",
      );
    });

    it("comes through the receiver to the same verdicts, counted once however often it is sent", async () => {
      for (const [type, bodies] of [
        ["application/json", story.json.map((line) => Buffer.from(line))],
        ["application/x-protobuf", story.protobuf],
      ] as const) {
        const service = await runService({
          contracts: [contractSource],
          now: unixNano(1_796_039_940_000_000_000n),
        });
        try {
          for (const body of [...bodies, ...bodies]) {
            const answer = await fetch(service.logsUrl, {
              method: "POST",
              headers: { "content-type": type, "content-encoding": "gzip" },
              body: gzipSync(body),
            });
            assert.equal(answer.status, 200, await answer.text());
          }
          await service.pass(minutes(40));
          const metrics = await service.metrics();
          for (const [rule, verdict] of Object.entries(story.truth.verdicts)) {
            assert.equal(metrics.sum("toolorder_verdicts_total", { rule, verdict }), 1, `${rule} ${verdict}`);
            const violations = verdict === "violated" ? 1 : 0;
            assert.equal(metrics.sum("toolorder_violations_total", { rule }), violations, rule);
          }
          const calls = story.truth.calls.length;
          assert.equal(metrics.sum("toolorder_tool_calls_total"), calls);
          assert.ok(
            metrics.sum("toolorder_receiver_log_records_total", { outcome: "accepted" }) >= 2 * calls,
          );
          assert.equal(metrics.sum("toolorder_spans_duplicate_total", { disposition: "conflicting" }), 0);
        } finally {
          await service.close();
        }
      }
    });
  });
}

const approvals = {
  name: "approvals",
  on: "span",
  when: { span: "approval" },
  kind: "approval",
  fields: new Map([
    ["name", "house.tool"],
    ["call_id", "house.call"],
  ]),
} as const;

/** The same story as a framework's spans would tell it. */
function spansOf(events: readonly Event[]): readonly Span[] {
  const sketches = events.flatMap((event, index) => {
    const { start, end } = event;
    if (typeof start !== "object" || !("at" in start) || typeof end !== "object" || !("at" in end)) return [];
    const times = { start: start.at, end: end.at };
    const id = `s${index}`;
    if (event.kind === "approval") {
      const attributes = { "house.tool": event.name ?? "", "house.call": event.callId ?? "" };
      return [{ ...makeSpan({ id, name: "approval", attributes }), ...times }];
    }
    if (event.kind !== "tool_call") return [];
    const refused = event.status === "refused";
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.name ?? "",
      "gen_ai.conversation.id": event.conversation ?? "",
      ...(event.callId !== null && { "gen_ai.tool.call.id": event.callId }),
      ...(event.args !== undefined && { "gen_ai.tool.call.arguments": JSON.stringify(event.args) }),
      ...(refused && { "error.type": "denied" }),
      ...(event.status === "error" && { "error.type": "ToolError" }),
    };
    const status = event.status === "success" ? 1 : 2;
    return [{ ...makeSpan({ id, name: `execute_tool ${event.name}`, attributes, status }), ...times }];
  });
  return sketches;
}
