import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { InstanceVerdict } from "../../../src/model/verdict.ts";
import type { Link } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { compared, link, named, ruleOf, within } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const pay = named("pay");
const apart = (more: Partial<Link> = {}): Link => link(pay, pay, { need: "apart", ...more });
const call = (id: string, start: number, end: number | "open", more: Partial<EventSpec> = {}): Event =>
  event({ id, name: "pay", start, end, ...more });
const byId = [{ anchor: ["args", "id"], witness: ["args", "id"] }];
const of = (id: string | number) => ({ args: { id } });

function instances(
  program: Link,
  events: readonly Event[],
  completeness?: Completeness,
): readonly InstanceVerdict[] {
  return judgeOn(ruleOf(program), events, completeness).instances;
}
const brief = (found: readonly InstanceVerdict[]) =>
  found.map(({ anchor, verdict, code, witness }) => [anchor, verdict, code, witness]);

describe("two calls that must not overlap", () => {
  it("are judged on the later of each pair, which names the earlier", () => {
    assert.deepEqual(brief(instances(apart(), [call("a", 0, 10), call("b", 5, 20), call("c", 30, 40)])), [
      ["a", "satisfied", null, null],
      ["b", "violated", "overlap", "a"],
      ["c", "satisfied", null, null],
    ]);
  });

  it("of one start: the greater by id is the later", () => {
    assert.deepEqual(brief(instances(apart(), [call("b", 5, 20), call("a", 5, 10)])), [
      ["a", "satisfied", null, null],
      ["b", "violated", "overlap", "a"],
    ]);
  });

  it("are two: one by itself is nothing to say, also where the other is of another key", () => {
    assert.equal(judgeOn(ruleOf(apart()), [call("a", 0, 10)]).verdict, "vacuous");
    const keyed = apart({ bind: byId });
    const found = instances(keyed, [call("a", 0, 10, of(1)), call("b", 5, 20, of(2))]);
    assert.deepEqual(
      brief(found).map(([anchor, verdict]) => [anchor, verdict]),
      [
        ["a", "satisfied"],
        ["b", "satisfied"],
      ],
    );
  });

  it("of one key overlap, and the key is shown", () => {
    const found = instances(apart({ bind: byId }), [call("a", 0, 10, of("1")), call("b", 5, 20, of(1))])[1];
    assert.deepEqual([found?.verdict, found?.key], ["violated", "1"]);
    const unbound = instances(apart({ bind: byId }), [
      call("a", 0, 10, of("1")),
      call("b", 5, 20, { args: {} }),
    ])[1];
    assert.deepEqual([unbound?.verdict, unbound?.key], ["satisfied", ""]);
  });

  it("are compared where a key is not known, in their order, and not where two keys differ", () => {
    const found = instances(apart({ bind: byId }), [
      call("a", 0, 90, { hidden: { args: "not_captured" } }),
      call("b", 1, 90, of(1)),
      call("c", 2, 90, of(2)),
      call("d", 3, 90, of(1)),
      call("e", 4, 90, { hidden: { args: "not_captured" } }),
    ]);
    assert.deepEqual(brief(found), [
      ["a", "satisfied", null, null],
      ["b", "inconclusive", "not_captured", null],
      ["c", "inconclusive", "not_captured", null],
      ["d", "violated", "overlap", "b"],
      ["e", "inconclusive", "not_captured", null],
    ]);
  });

  it("read each key a few times, however many calls of other keys there are", () => {
    let reads = 0;
    const counted = (id: number) => ({
      get id() {
        reads += 1;
        return id;
      },
    });
    const calls = Array.from({ length: 200 }, (_, i) => call(`c${i}`, i, 900, { args: counted(i) }));

    assert.ok(instances(apart({ bind: byId }), calls).every(({ verdict }) => verdict === "satisfied"));
    assert.ok(reads >= 200 && reads <= 200 * 10, `${reads} reads`);
  });

  it("broken at once and for good, kept only once the scope has closed", () => {
    const events = [call("a", 0, 10), call("b", 5, 20), call("c", 30, 40)];
    const open = instances(apart(), events, watermark(ms(1000)));
    assert.deepEqual(
      open.map(({ final, completeness }) => [final, completeness]),
      [
        [false, null],
        [true, null],
        [false, null],
      ],
    );
    const closed = instances(apart(), events, closedBy("root_ended"));
    assert.deepEqual(
      closed.map(({ final, completeness }) => [final, completeness]),
      [
        [true, "root_ended"],
        [true, null],
        [true, "root_ended"],
      ],
    );
  });

  it("say in words and in the rule's own code what broke", () => {
    const [, found] = instances(apart({ code: "in_flight_twice" }), [call("a", 0, 10), call("b", 5, 20)]);
    assert.deepEqual([found?.code, found?.reason], ["in_flight_twice", "no two pay overlap: broken"]);
    const [first] = instances(apart(), [call("a", 0, 10), call("b", 15, 20)]);
    assert.equal(first?.reason, "no two pay overlap: holds");
  });
});

describe("two calls that may or may not overlap", () => {
  const far = call("b", 5, 20, { host: "h2" });
  it("are inconclusive, in an open scope for now", () => {
    const events = [call("a", 0, 10), far];
    const closed = instances(apart(), events)[1];
    assert.deepEqual(
      [closed?.verdict, closed?.code, closed?.final, closed?.completeness, closed?.witness],
      ["inconclusive", "order_unknown", true, "input_end", null],
    );
    assert.equal(closed?.reason, "no two pay overlap: cannot be told, their order cannot be told");
    const open = instances(apart(), events, watermark(ms(1000)))[1];
    assert.deepEqual([open?.verdict, open?.final, open?.completeness], ["inconclusive", false, null]);
  });

  it("for a reason: the best-ranked one of all that are in doubt", () => {
    const broken = call("a0", 0, "unknown" as never, { end: "unknown", flaws: ["end_before_start"] });
    const keyless = call("a1", 4, 9, { args: undefined as never });
    const program = apart({ bind: byId });
    const doubt = (first: Event) => instances(program, [first, call("b", 5, 20, of(1))])[1];
    assert.deepEqual([doubt(keyless)?.verdict, doubt(keyless)?.code], ["inconclusive", "not_captured"]);
    const plain = instances(apart(), [broken, call("b", 5, 20)])[1];
    assert.deepEqual([plain?.verdict, plain?.code], ["inconclusive", "invalid_interval"]);
    const both = instances(apart(), [broken, call("a2", 1, 9, { host: "h2" }), call("b", 5, 20)])[2];
    assert.equal(both?.code, "invalid_interval");
  });

  it("and one that is surely apart, or of another key for sure, is in no doubt", () => {
    const program = apart({ bind: byId, where: [compared("a.args.kind", "==", "w.args.kind")] });
    const earlier = (args: Record<string, number>) => call("a", 0, 10, { args });
    const later = (args: Record<string, number>) => call("b", 5, 20, { host: "h2", args });
    const verdict = (x: Event, y: Event) => instances(program, [x, y])[1]?.verdict;
    assert.equal(verdict(earlier({ id: 1, kind: 1 }), later({ id: 2, kind: 1 })), "satisfied");
    assert.equal(verdict(earlier({ id: 1, kind: 1 }), later({ id: 1, kind: 2 })), "satisfied");
    assert.equal(verdict(earlier({ id: 1, kind: 1 }), later({ id: 1, kind: 1 })), "inconclusive");
    assert.equal(
      verdict(earlier({ id: 1, kind: 1 }), call("b", 100, 120, { host: "h2", args: { id: 1, kind: 1 } })),
      "satisfied",
    );
  });

  it("are in doubt where one order is surely wrong and the other may be right", () => {
    const caused = call("a", 0, 100, { host: "h2", fields: { links: ["b"] } });
    assert.deepEqual(brief(instances(apart(), [caused, call("b", 10, 20)]))[1], [
      "b",
      "inconclusive",
      "order_unknown",
      null,
    ]);
  });

  it("break nothing while either may be none of the rule's", () => {
    const done = named("pay", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const program = link(done, done, { need: "apart" });
    const [ok, unknown] = [{ result: "ok" }, {}];
    const verdict = (x: Partial<EventSpec>, y: Partial<EventSpec>) => {
      const found = instances(program, [call("a", 0, 10, x), call("b", 5, 20, y)])[1];
      return [found?.verdict, found?.code];
    };
    assert.deepEqual(verdict(ok, ok), ["violated", "overlap"]);
    assert.deepEqual(verdict(unknown, ok), ["inconclusive", "overlap"]);
    assert.deepEqual(verdict(ok, unknown), ["inconclusive", "overlap"]);
    assert.equal(
      judgeOn(ruleOf(program), [call("a", 0, 10, ok), call("b", 5, 20, { result: "no" })]).verdict,
      "vacuous",
    );
  });
});

describe("in a part of the scope", () => {
  const opened = event({ id: "open", name: "open", start: 20, end: 21 });
  const program = within({ after: named("open") }, apart());
  const found = (events: readonly Event[], completeness?: Completeness) =>
    judgeOn(ruleOf(program), [opened, ...events], completeness).instances.map(
      ({ anchor, verdict, code, final }) => [anchor, verdict, code, final],
    );

  it("only what lies in it is judged, also against what does not", () => {
    assert.deepEqual(found([call("a", 0, 50), call("b", 30, 40)]), [["b", "violated", "overlap", true]]);
  });
  it("what overlaps for sure and may lie in it breaks nothing, and names nothing as what broke it", () => {
    // It begins as the stretch does: which of the two was first cannot be told.
    const events = [opened, call("a", 0, 50), call("b", 21, 40)];
    for (const completeness of [closedBy("idle"), watermark(ms(1000))]) {
      const [one, ...others] = judgeOn(ruleOf(program), events, completeness).instances;
      assert.deepEqual(others, []);
      assert.deepEqual([one?.anchor, one?.verdict, one?.witness], ["b", "inconclusive", null]);
      assert.equal(one?.final, completeness.closed !== null);
    }
  });
  it("what may lie in it is not known to be broken or kept, and only the close makes that final", () => {
    const doubtful = call("b", 30, 40, { host: "h2" });
    assert.deepEqual(found([call("a", 0, 50), doubtful]), [["b", "inconclusive", "order_unknown", true]]);
    assert.deepEqual(found([call("a", 0, 5), doubtful], watermark(ms(1000))), [
      ["b", "inconclusive", "order_unknown", false],
    ]);
    const [one] = judgeOn(ruleOf(program), [opened, call("a", 0, 5), doubtful]).instances;
    assert.equal(one?.reason, "no two pay overlap: cannot be told, their order cannot be told");
  });
});

describe("no more than so many at a time", () => {
  const two = apart({ limit: 2 });
  it("breaks with the one that is one too many, and names all of them", () => {
    const events = [call("a", 0, 50), call("b", 10, 50), call("c", 20, 50), call("d", 60, 70)];
    const found = instances(two, events);
    assert.deepEqual(brief(found), [
      ["a", "satisfied", null, null],
      ["b", "satisfied", null, null],
      ["c", "violated", "overlap", "a"],
      ["d", "satisfied", null, null],
    ]);
    assert.deepEqual(found[2]?.involved, ["a", "b"]);
    assert.equal(found[2]?.reason, "no more than 2 pay at a time: broken, it had begun but not finished");
    assert.deepEqual(
      [found[2]?.final, found[2]?.completeness, found[3]?.completeness],
      [true, null, "input_end"],
    );
  });

  it("counts those open at one time: overlaps one after the other are none", () => {
    assert.equal(
      instances(two, [call("a", 0, 20), call("b", 30, 50), call("c", 10, 40)])[1]?.verdict,
      "satisfied",
    );
    assert.equal(
      judgeOn(ruleOf(two), [call("a", 0, 20), call("b", 30, 50), call("c", 10, 40)]).verdict,
      "satisfied",
    );
  });

  it("finds them among many that come and go", () => {
    const busy = [call("a", 0, 100), call("b", 1, 5), call("c", 2, 4), call("d", 50, 60), call("e", 55, 70)];
    const found = instances(two, busy);
    assert.deepEqual(
      found.filter(({ verdict }) => verdict === "violated").map(({ anchor }) => anchor),
      ["c", "e"],
    );
    assert.deepEqual(found[4]?.involved, ["a", "d"]);
  });

  it("keeps keys apart, and shows them", () => {
    const keyed = apart({ limit: 2, bind: byId });
    const events = [
      call("a", 0, 50, of(1)),
      call("b", 10, 50, of(2)),
      call("c", 20, 50, of(1)),
      call("d", 30, 50, of(1)),
    ];
    assert.deepEqual(
      instances(keyed, events).map(({ verdict, key }) => [verdict, key]),
      [
        ["satisfied", "1"],
        ["satisfied", "2"],
        ["satisfied", "1"],
        ["violated", "1"],
      ],
    );
  });

  it("is not known to be broken while one of them is in doubt", () => {
    const at = (hosts: readonly string[], completeness?: Completeness) => {
      const found = instances(
        two,
        hosts.map((host, i) => call(`e${i}`, i, 40 + i, { host })),
        completeness,
      )[2];
      return [found?.verdict, found?.code, found?.final, found?.witness];
    };
    assert.deepEqual(at(["h1", "h1", "h1"]), ["violated", "overlap", true, "e0"]);
    assert.deepEqual(at(["h1", "h1", "h2"]), ["inconclusive", "order_unknown", true, null]);
    assert.deepEqual(at(["h1", "h2", "h1"], watermark(ms(1000))), [
      "inconclusive",
      "order_unknown",
      false,
      null,
    ]);
    // Only one of the two earlier ones may be beside it, so two at most are open.
    const found = instances(two, [call("a", 0, 5), call("b", 10, 50, { host: "h2" }), call("c", 60, 90)])[2];
    assert.deepEqual([found?.verdict, found?.code], ["satisfied", null]);
  });

  it("takes the rule's own code and leaves it out where all is well", () => {
    const own = apart({ limit: 2, code: "in_flight_twice" });
    const events = [call("a", 0, 50), call("b", 10, 50), call("c", 20, 50)];
    assert.deepEqual(
      instances(own, events).map(({ code }) => code),
      [null, null, "in_flight_twice"],
    );
  });

  it("breaks nothing by what may be none of the rule's", () => {
    const done = named("pay", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const program = link(done, done, { need: "apart", limit: 2 });
    const at = (...results: readonly (string | undefined)[]) => {
      const events = results.map((result, i) =>
        call(`e${i}`, i, 40 + i, result === undefined ? {} : { result }),
      );
      const found = instances(program, events)[2];
      return [found?.verdict, found?.code];
    };
    assert.deepEqual(at("ok", "ok", "ok"), ["violated", "overlap"]);
    assert.deepEqual(at("ok", "ok", undefined), ["inconclusive", "not_captured"]);
    assert.deepEqual(at("ok", undefined, "ok"), ["inconclusive", "not_captured"]);
  });

  it("that cannot be found in reasonable time are not known to be there, nor not to be", () => {
    // Each overlaps all but those of its own group: with as many groups as the limit, there is never one too many.
    const groups = 6;
    const program = apart({ limit: groups, where: [compared("a.args.group", "!=", "w.args.group")] });
    const events = Array.from({ length: groups * 5 }, (_, i) =>
      call(`e${String(i).padStart(2, "0")}`, i, 900, { args: { group: i % groups } }),
    );
    const last = instances(program, [
      ...events.slice(0, 6),
      ...events.slice(-14),
      call("z", 500, 900, { args: { group: 0 } }),
    ]).at(-1);
    assert.equal(last?.verdict, "satisfied");
    const found = instances(program, [...events, call("z", 500, 900, { args: { group: 0 } })]).at(-1);
    assert.deepEqual([found?.verdict, found?.code], ["inconclusive", "order_unknown"]);
  });
});
