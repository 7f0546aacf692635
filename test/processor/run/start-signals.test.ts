import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { report } from "../../../src/processor/report.ts";
import { Driver } from "../../support/drive.ts";
import { callFact } from "../../support/facts.ts";
import fc, { propertyRuns } from "../../support/properties.ts";

const gate = `
contract: c
rules:
  - {id: gate, kind: gate, require: {tool: check}, before: {tool: mail}, severity: critical}
`;
const unlessRevoked = `
contract: c
rules:
  - id: gate
    kind: gate
    require: {tool: check}
    before: {tool: mail}
    unless_between: [{tool: revoke, boundary: started_at}]
`;

const call = (span: string, name: string, at: number, more: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId: span, name, ...more }, at);
const begun = (span: string, name: string, at: number, more: Partial<SpanFact> = {}): SpanFact =>
  call(span, name, at, {
    ended: false,
    end: null,
    outcome: "running",
    startSignal: true,
    startSignals: "all",
    ...more,
  });
const events = (driver: Driver) => report(driver.state).flatMap((run) => run.events);

describe("a start signal and its call", () => {
  it("are one event, whichever comes first, and no duplicate", () => {
    const orders = [
      [begun("1", "mail", 0), call("1", "mail", 0)],
      [call("1", "mail", 0), begun("1", "mail", 0)],
      [begun("1", "mail", 0), call("1", "mail", 0), begun("1", "mail", 0)],
    ];
    const seen = orders.map((facts) => {
      const driver = new Driver(gate);
      facts.forEach((fact, second) => {
        driver.facts(second, fact);
      });
      const duplicates = driver.outputs.filter(
        (output) => output.type === "count" && output.of === "duplicate",
      );
      assert.deepEqual(duplicates, []);
      const lags = driver.take("duration").filter(({ of }) => of === "span_lag");
      assert.equal(lags.length, 1);
      return events(driver).map(({ name, status, end }) => [name, status, end]);
    });
    assert.equal(seen[0]?.length, 1);
    assert.equal(seen[0]?.[0]?.[1], "success");
    assert.deepEqual(seen[1], seen[0]);
    assert.deepEqual(seen[2], seen[0]);
  });

  it("count a flaw of the call once", () => {
    const driver = new Driver(gate);
    driver.facts(
      0,
      begun("1", "mail", 0, { flaws: ["sampled"] }),
      call("1", "mail", 0, { flaws: ["sampled"] }),
    );
    assert.equal(
      driver.outputs.filter((output) => output.type === "count" && output.of === "flaw").length,
      1,
    );
  });

  it("are an open call until the end is here, and the run stays open as long", () => {
    const driver = new Driver(gate);
    driver.facts(0, begun("1", "mail", 0), call("r", "root", 0, { kind: "agent_run" }));
    const [event] = events(driver).filter(({ name }) => name === "mail");
    assert.deepEqual([event?.status, event?.end], ["running", "open"]);
    assert.equal(driver.until(100).take("run_closed").length, 0);
    driver.facts(100, call("1", "mail", 0));
    assert.equal(driver.until(200).take("run_closed").length, 1);
  });
});

describe("a call of which only the start is known", () => {
  it("is judged while it runs, a decision_wait after the signal", () => {
    const driver = new Driver(gate);
    driver.facts(0, begun("1", "mail", 0));
    assert.equal(driver.until(9.9).take("violation").length, 0);
    driver.until(10);
    const [violation] = driver.take("violation");
    assert.equal(violation?.record.instance.code, "witness_missing");
    assert.equal(violation?.record.instance.completeness, "wait");
    assert.deepEqual(
      driver.take("alert").map(({ active, reason }) => [active, reason]),
      [[true, "violated"]],
    );
    // The end changes nothing of what was so when it began.
    driver
      .clear()
      .facts(300, call("1", "mail", 0))
      .until(400);
    assert.equal(driver.take("violation").length + driver.take("revision").length, 0);
  });

  it("is no violation where the check is here", () => {
    const driver = new Driver(gate);
    driver.facts(0, call("0", "check", -50), begun("1", "mail", 0)).until(60);
    assert.equal(driver.take("violation").length, 0);
  });

  it("waits with what its span may still say", () => {
    const onStatus = gate.replace("before: {tool: mail}", "before: {tool: mail, status: running}");
    const onArgs = gate.replace("before: {tool: mail}", "before: {tool: mail, args.to: all}");
    for (const [contract, more] of [
      [onStatus, {}],
      [onArgs, {}],
      [gate.replace("before: {tool: mail}", "before: {tool: mail, absent: [key]}"), {}],
    ] as const) {
      const driver = new Driver(contract);
      driver.facts(0, begun("1", "mail", 0, more)).until(60);
      assert.equal(driver.take("violation").length + driver.take("inconclusive").length, 0, contract);
    }
    const known = new Driver(onArgs);
    known.facts(0, begun("1", "mail", 0, { args: { to: "all" }, argsHash: "h" })).until(60);
    assert.equal(known.take("violation").length, 1);
  });

  it("does not wait for what only a witness is asked", () => {
    const onResult = gate.replace("{tool: check}", "{tool: check, result: approved, status: success}");
    const driver = new Driver(onResult);
    driver.facts(0, begun("1", "mail", 0)).until(10);
    assert.equal(driver.take("violation").length, 1);
    // A name that may be either side is asked for both.
    const same = new Driver(onResult.replace("{tool: mail}", "{tool: check}"));
    same.facts(0, begun("1", "check", 0)).until(60);
    assert.equal(same.take("violation").length, 0);
  });

  it("waits for its finish from when the end came, and not from the signal", () => {
    const machine = `
contract: c
state_machines:
  - {id: m, initial: a, on_illegal: violate, transitions: [[a, check, b], [b, mail, c]]}
`;
    const driver = new Driver(machine);
    driver.facts(
      0,
      begun("1", "mail", 0),
      call("x", "root", 0, { kind: "agent_run", ended: false, end: null }),
    );
    driver.facts(100, call("1", "mail", 0)).until(109.9);
    assert.equal(driver.take("violation").length, 0);
    assert.equal(driver.until(110).take("violation").length, 1);
  });
});

describe("the last verdicts", () => {
  it("do not hang on when signals and calls came", () => {
    const drawn = fc.record({
      calls: fc.array(fc.record({ name: fc.constantFrom("check", "mail", "revoke"), start: fc.nat(30) }), {
        minLength: 1,
        maxLength: 5,
      }),
      keys: fc.array(fc.nat(100), { minLength: 12, maxLength: 12 }),
      lost: fc.nat(3),
    });
    const standing = (facts: readonly SpanFact[]): unknown => {
      const driver = new Driver(`${gate}${unlessRevoked.split("rules:")[1]?.replace("id: gate", "id: two")}`);
      facts.forEach((fact, index) => {
        driver.facts(index * 4, fact);
      });
      driver.until(3000);
      return report(driver.state).map(({ verdicts, events: all }) => [
        all.map(({ id, status }) => [id, status]),
        verdicts.map(({ rule, result }) => [rule.id, result.verdict, result.final, result.code]),
      ]);
    };
    fc.assert(
      fc.property(drawn, ({ calls, keys, lost }) => {
        const facts = calls.flatMap(({ name, start }, index) => {
          const both = [begun(String(index), name, start), call(String(index), name, start)];
          return index < lost ? both.slice(1) : both;
        });
        const shuffled = facts
          .map((fact, index) => ({ fact, key: keys[index] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ fact }) => fact);
        assert.deepEqual(standing(shuffled), standing(facts));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("waiting where a blocker may still run", () => {
  const cases = [
    { name: "nobody says when calls begin", told: [undefined, undefined], final: false },
    { name: "every sender does", told: ["all", "all"], final: true },
    { name: "one sender does not", told: ["all", undefined], final: false },
    { name: "one sender lost signals", told: ["all", "some"], final: false },
  ] as const;
  for (const { name, told, final } of cases) {
    it(`${final ? "is" : "is not"} enough: ${name}`, () => {
      const says = (index: 0 | 1): Partial<SpanFact> => {
        const word = told[index];
        return { clock: `host-${index}`, ...(word === undefined ? {} : { startSignals: word }) };
      };
      const driver = new Driver(unlessRevoked);
      const open = call("r", "root", 0, { kind: "agent_run", ended: false, end: null, ...says(0) });
      driver.facts(0, open, call("1", "mail", 0, says(0)), call("2", "other", 0, says(1))).until(60);
      assert.equal(driver.take("violation").length, final ? 1 : 0);
    });
  }
});
