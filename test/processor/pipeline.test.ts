import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultSettings } from "../../src/model/settings.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { unixNano } from "../../src/model/time.ts";
import { gauges, nextDue } from "../../src/processor/pipeline.ts";
import { report } from "../../src/processor/report.ts";
import { base, Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const gate = (scope: string) => `
contract: access
rules:
  - {id: gate, kind: gate, require: check, before: read, scope: ${scope}, severity: critical}
`;
const root = (traceId: string, overrides: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId: `root-${traceId}`, traceId, kind: "agent_run", name: "agent", ...overrides }, 0);
const call = (name: string, startMs: number, overrides: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId: `${name}-${startMs}`, parentId: "root-t1", name, ...overrides }, startMs);

describe("a gate that is broken", () => {
  const driver = new Driver(gate("run"));
  driver.facts(1, call("read", 0), root("t1"));

  it("is not counted while the check may still arrive", () => {
    driver.until(10.9);
    assert.deepEqual(driver.take("violation"), []);
  });

  it("is counted once when decision_wait is over, with its code and an active alert", () => {
    driver.until(11);
    const [violation, ...more] = driver.take("violation");
    assert.equal(more.length, 0);
    assert.equal(violation?.record.instance.code, "witness_missing");
    assert.equal(violation?.record.action, "block");
    assert.deepEqual(
      driver.take("alert").map(({ reason, active }) => ({ reason, active })),
      [{ reason: "violated", active: true }],
    );
  });

  it("gives its verdict for the run, the call and the close at the close", () => {
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["violated"],
    );
    assert.deepEqual(
      driver.take("run_closed").map(({ reason }) => reason),
      ["root_ended"],
    );
    assert.deepEqual(driver.take("count"), [
      { type: "count", of: "tool_calls", tool: "read", status: "success" },
    ]);
  });

  it("lets the alert fall when its hold is over, and is not counted again", () => {
    driver.clear().until(3000);
    assert.deepEqual(
      driver.take("alert").map(({ active }) => active),
      [false],
    );
    assert.deepEqual(driver.take("violation"), []);
  });

  it("is revised, not edited, by a check that comes within the late window", () => {
    driver.clear().facts(3001, call("check", -500));
    assert.deepEqual(driver.take("count"), [
      { type: "count", of: "late", disposition: "reopened" },
      { type: "count", of: "tool_calls", tool: "check", status: "success" },
    ]);
    assert.deepEqual(
      driver.take("revision").map(({ change }) => change),
      ["withdrawn"],
    );
  });

  it("counts a span that comes after that and judges it no more", () => {
    driver.clear().until(3700).facts(3701, call("check", -900));
    assert.deepEqual(driver.take("count"), [{ type: "count", of: "late", disposition: "forgotten" }]);
    assert.equal(gauges(driver.state).runsOpen, 0);
    assert.equal(gauges(driver.state).runsClosed, 0);
  });
});

describe("arrival order", () => {
  it("does not matter within the wait", () => {
    const driver = new Driver(gate("run"))
      .facts(1, call("read", 0))
      .facts(9, call("check", -500), root("t1"));
    driver.until(100);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
  });

  it("does not double what is delivered twice", () => {
    const facts = [call("read", 0), root("t1")];
    const driver = new Driver(gate("run"))
      .facts(1, ...facts)
      .facts(2, ...facts)
      .until(100);
    assert.equal(driver.take("violation").length, 1);
    assert.equal(driver.take("count").filter((count) => count.of === "tool_calls").length, 1);
    assert.deepEqual(
      driver
        .take("count")
        .filter((count) => count.of === "duplicate")
        .map((count) => count),
      [
        { type: "count", of: "duplicate", disposition: "identical" },
        { type: "count", of: "duplicate", disposition: "identical" },
      ],
    );
  });

  it("stands still while we refuse work", () => {
    const driver = new Driver(gate("run")).facts(1, call("read", 0), root("t1"));
    driver.deaf(2, 60).until(60);
    assert.deepEqual(driver.take("violation"), []);
    driver.facts(61, call("check", -500)).until(500);
    assert.deepEqual(driver.take("violation"), []);
  });
});

describe("a conversation", () => {
  const told = { conversation: "c1" };

  it("joins runs: the check of an earlier trace counts", () => {
    const driver = new Driver(gate("conversation"));
    driver.facts(1, call("check", -500, told), root("t1", told));
    driver.facts(100, call("read", 0, { ...told, traceId: "t2", parentId: "root-t2" }), root("t2", told));
    driver.until(7200);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
  });

  it("named only on a root that comes late holds nothing against the run before", () => {
    const driver = new Driver(gate("conversation"));
    driver.facts(1, call("check", -500, told), root("t1", told));
    driver.facts(5, call("read", 0, { traceId: "t2", parentId: "root-t2" })).until(60);
    assert.deepEqual(driver.take("violation"), []);
    driver.facts(61, root("t2", told)).until(7200);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
  });

  it("that never gets its root stays unknown, never violated", () => {
    const driver = new Driver(gate("conversation"));
    driver.facts(5, call("read", 0, { traceId: "t2", parentId: "root-t2" })).until(7200);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("inconclusive").map(({ instance }) => instance.verdict),
      ["inconclusive"],
    );
  });

  it("does not mix two conversations", () => {
    const driver = new Driver(gate("conversation"));
    driver.facts(1, call("check", -500, told), root("t1", told));
    const other = { conversation: "c2", traceId: "t2", parentId: "root-t2" };
    driver.facts(2, call("read", 0, other), root("t2", { conversation: "c2" })).until(60);
    assert.equal(driver.take("violation").length, 1);
  });
});

describe("bounds", () => {
  it("judge what has to go as inconclusive, and count it as evicted", () => {
    const limits = { ...defaultSettings.limits, openRuns: 2 };
    const driver = new Driver(gate("run"), { limits });
    for (const trace of ["t1", "t2", "t3"]) {
      driver.facts(1, call("read", 0, { traceId: trace, parentId: `root-${trace}` }));
    }
    assert.deepEqual(driver.take("run_closed"), [{ type: "run_closed", run: "t1", reason: "evicted" }]);
    assert.deepEqual(
      driver.take("inconclusive").map(({ instance }) => instance.code),
      ["evicted"],
    );
    driver.until(100_000);
    assert.deepEqual(
      driver
        .take("violation")
        .map(({ record }) => record.traceId)
        .sort(),
      ["t2", "t3"],
    );
  });

  it("leave no rule of a cut-off run satisfied or silent: its guarded call may have come behind the cut", () => {
    const limits = { ...defaultSettings.limits, eventsPerRun: 3 };
    const driver = new Driver(gate("run"), { limits });
    driver.facts(1, call("check", -500), root("t1"), call("other", 0), call("other", 50), call("read", 100));
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["inconclusive"],
    );
    assert.deepEqual(
      driver.take("alert").map(({ reason }) => reason),
      ["inconclusive"],
    );
  });

  it("end a run that grows without end", () => {
    const limits = { ...defaultSettings.limits, eventsPerRun: 10 };
    const driver = new Driver(gate("run"), { limits });
    for (let i = 0; i < 25; i += 1) driver.facts(1, call("read", i));
    assert.equal(driver.take("run_closed").length, 1);
    assert.equal(driver.take("count").filter(({ of }) => of === "late").length, 14);
  });

  it("leave nothing behind of runs that are forgotten", () => {
    const driver = new Driver(gate("conversation"));
    for (let i = 0; i < 500; i += 1) {
      const own = { traceId: `t${i}`, conversation: `c${i}` };
      driver.facts(i, call("read", i, { ...own, parentId: `root-t${i}` }), root(`t${i}`, own));
    }
    driver.until(200_000);
    assert.equal(driver.take("violation").length, 500);
    assert.deepEqual(
      { ...gauges(driver.state), tombstones: 0 },
      { runsOpen: 0, runsClosed: 0, tombstones: 0, facts: 0, stateBytes: 0 },
    );
    const { ledger, alerts, table, conversationsClosed } = driver.state;
    assert.equal(ledger.published.size, 0);
    assert.equal(alerts.standing.size, 0);
    assert.equal(table.joined.size + table.asked.size + table.resumed.size, 0);
    assert.equal(conversationsClosed.size, 0);
    assert.equal(nextDue(driver.state), null);
  });
});

describe("much at once", () => {
  it("looks at a conversation of very many runs on a grid, not at each arrival", () => {
    const driver = new Driver(gate("conversation"));
    for (let i = 0; i < 300; i += 1) {
      const own = { traceId: `t${i}`, conversation: "c1" };
      driver.facts(i / 10, call("read", i, { ...own, parentId: `root-t${i}` }), root(`t${i}`, own));
    }
    assert.ok(driver.ticks < 130, `${driver.ticks} ticks`);
    driver.until(2000);
    assert.equal(driver.take("violation").length, 300);
  });

  it("judges runs that are all due at one moment in several ticks", () => {
    const driver = new Driver(gate("run"));
    const facts: SpanFact[] = [];
    for (let i = 0; i < 1500; i += 1) {
      facts.push(call("read", i, { traceId: `t${i}`, parentId: `root-t${i}` }), root(`t${i}`));
    }
    driver.facts(1, ...facts).until(11);
    assert.equal(driver.take("violation").length, 1500);
    assert.ok(driver.ticks >= 2, `${driver.ticks} ticks`);
  });
});

describe("what a published verdict carries", () => {
  it("is its near misses too, which nobody else asks for", () => {
    const driver = new Driver(gate("run"));
    driver.facts(1, call("read", 0), call("check", 500), root("t1")).until(20);
    const [violation] = driver.take("violation");
    assert.deepEqual(violation?.record.instance.nearMisses, [
      { event: "t1:check-500", code: "witness_late" },
    ]);
  });
});

describe("a response whose witness counts from its start", () => {
  const response = `
contract: paging
rules:
  - {id: paged, kind: response, trigger: incident, expect: page, within: 10s}
`;

  it("is not called missing by waiting alone: a call that began in time and still runs is unsent", () => {
    const driver = new Driver(response).facts(1, call("incident", 0)).until(300);
    assert.deepEqual(driver.take("violation"), []);
    const long = call("page", 5000, { end: unixNano(base + 250_000_000_000n) });
    driver.facts(301, long, root("t1")).until(320);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
  });

  it("is missing once the run is over", () => {
    const driver = new Driver(response).facts(1, call("incident", 0), root("t1")).until(60);
    assert.equal(driver.take("violation").length, 1);
  });
});

describe("a check that crashed", () => {
  it("has approved nothing, whether or not results are captured", () => {
    const driver = new Driver(`
contract: access
rules:
  - {id: gate, kind: gate, require: {tool: check, result: approved}, before: read}
`);
    driver.facts(1, call("check", -500, { outcome: "error" }), call("read", 0), root("t1")).until(20);
    assert.equal(driver.take("violation").length, 1);
  });

  it("is told from one whose result was not captured", () => {
    const driver = new Driver(`
contract: access
rules:
  - {id: gate, kind: gate, require: {tool: check, result: approved}, before: read}
`);
    driver.facts(1, call("check", -500), call("read", 0), root("t1")).until(20);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("inconclusive").map(({ instance }) => instance.code),
      ["not_captured"],
    );
  });
});

describe("a run that was under way when we began to listen", () => {
  const late = (contractsAt: number) => new Driver(gate("run"), { joinsLate: true }, contractsAt);

  it("lacks what may have been delivered before: inconclusive, never violated", () => {
    const driver = late(5).facts(7, call("read", 6000), root("t1")).until(60);
    assert.deepEqual(driver.take("violation"), []);
    assert.deepEqual(
      driver.take("inconclusive").map(({ instance }) => instance.code),
      ["data_incomplete"],
    );
  });

  it("is satisfied by what is here", () => {
    const driver = late(5).facts(7, call("check", 5500), call("read", 6000), root("t1")).until(60);
    assert.deepEqual(
      driver.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
  });

  it("is told from one that began later, and from a recording of what was over before", () => {
    const fresh = late(-5).facts(7, call("read", 6000), root("t1")).until(60);
    assert.equal(fresh.take("violation").length, 1);
    const recording = late(3600).facts(3601, call("read", 6000), root("t1")).until(3700);
    assert.equal(recording.take("violation").length, 1);
  });
});

describe("two clocks", () => {
  const apart = 4_000_000_000n;
  const server = (fact: SpanFact): SpanFact => ({
    ...fact,
    clock: "host-2",
    start: unixNano((fact.start ?? 0n) + apart),
    end: unixNano((fact.end ?? 0n) + apart),
  });
  const rpc = call("rpc", 100, { kind: null, spanKind: 3, end: unixNano(base + 200_000_000n) });
  const handled = server(
    call("handled", 110, {
      kind: null,
      spanKind: 2,
      parentId: rpc.spanId,
      end: unixNano(base + 190_000_000n),
    }),
  );

  it("are set side by side by a client and its server, though neither is an event", () => {
    const facts = [call("check", 300), server(call("read", 400)), root("t1")];
    const told = new Driver(gate("run")).facts(10, rpc, handled, ...facts).until(30);
    assert.deepEqual(
      told.take("verdict").map(({ verdict }) => verdict),
      ["satisfied"],
    );
    const early = [call("check", 500), server(call("read", 400)), root("t1")];
    const broken = new Driver(gate("run")).facts(10, rpc, handled, ...early).until(30);
    assert.deepEqual(
      broken.take("verdict").map(({ verdict }) => verdict),
      ["violated"],
    );
  });
});

describe("what rules matched", () => {
  it("is counted by pattern when a run closes, whatever came of it", () => {
    const driver = new Driver(gate("run"));
    driver.facts(1, call("read", 0), call("check", 500), call("check", 900), root("t1")).until(20);
    assert.deepEqual(
      driver.take("rule_match").map(({ side, count }) => ({ side, count })),
      [
        { side: "anchor", count: 1 },
        { side: "witness", count: 2 },
      ],
    );
  });
});

describe("a violation that needs no waiting", () => {
  it("is final the moment both events are here", () => {
    const driver = new Driver(`
contract: frozen
rules:
  - {id: frozen, kind: forbid_after, after: commit, forbid: modify}
`);
    driver.facts(1, call("commit", 0), call("modify", 500));
    assert.deepEqual(
      driver.take("violation").map(({ record }) => record.instance.code),
      ["forbidden_after"],
    );
  });
});

describe("report", () => {
  it("shows every run with its verdicts and what they rest on, also while it is open", () => {
    const driver = new Driver(gate("run")).facts(1, call("read", 0), call("check", 500));
    const [judged] = report(driver.state);
    const [verdict] = judged?.verdicts ?? [];
    assert.equal(verdict?.result.verdict, "violated");
    assert.equal(verdict?.result.final, false);
    assert.equal(verdict?.result.code, "witness_late");
    assert.deepEqual(
      verdict?.result.instances[0]?.nearMisses.map(({ code }) => code),
      ["witness_late"],
    );
    const [closed] = report(driver.end().state);
    assert.equal(closed?.verdicts[0]?.result.final, true);
    assert.equal(closed?.closedBy, "input_end");
  });
});
