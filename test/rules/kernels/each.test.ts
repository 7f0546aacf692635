/** Links whose anchor names several events: each needs a witness of its own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import type { Link } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { link, named, ruleOf, within } from "../../support/programs.ts";
import { type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const [use, read] = [named("use"), named("read")];
const cites = (more: Partial<Link> = {}): Link =>
  link(use, read, {
    each: {
      anchor: ["args", "cited"],
      witness: [
        ["result", "id"],
        ["args", "id"],
      ],
    },
    ...more,
  });
const using = (cited: Value | undefined, more: Partial<EventSpec> = {}): Event =>
  event({ id: "use", name: "use", start: 50, ...(cited === undefined ? {} : { args: { cited } }), ...more });
const reading = (id: string, value: Value, start = 10, more: Partial<EventSpec> = {}): Event =>
  event({ id, name: "read", start, args: {}, result: { id: value }, ...more });
const judged = (program: Link, events: readonly Event[], completeness?: Completeness) =>
  judgeOn(ruleOf(program), events, completeness).instances.map(
    ({ verdict, code, final }) => `${verdict} ${code ?? "-"} ${final}`,
  );

describe("each of several", () => {
  const both = [reading("r1", "x"), reading("r2", "y")];
  it("needs a witness that holds its value, at any of the places", () => {
    assert.deepEqual(judged(cites(), [...both, using(["x", "y"])]), ["satisfied - true"]);
    assert.deepEqual(judged(cites(), [...both, using(["x", "z"])]), ["violated witness_missing true"]);
    assert.deepEqual(judged(cites(), [...both, using(["z", "x"])]), ["violated witness_missing true"]);
    const inArgs = event({ id: "r3", name: "read", start: 10, args: { id: "z" }, result: {} });
    assert.deepEqual(judged(cites(), [...both, inArgs, using(["x", "z"])]), ["satisfied - true"]);
  });
  it("may be one alone, a number, or named twice", () => {
    assert.deepEqual(judged(cites(), [...both, using("x")]), ["satisfied - true"]);
    assert.deepEqual(judged(cites(), [reading("r1", 7), using([7, "7"])]), ["satisfied - true"]);
    assert.equal(judged(cites(), [reading("r1", 7), using([7, "7"])]).length, 1);
  });
  it("is none where nothing is named", () => {
    for (const cited of [[], [null], "", null])
      assert.deepEqual(judged(cites(), [...both, using(cited)]), []);
    assert.deepEqual(judged(cites(), [...both, using(undefined, { args: {} })]), []);
  });
  it("is not known where the list is not, for good unless a span to come may tell", () => {
    assert.deepEqual(judged(cites(), [...both, using(undefined)]), ["inconclusive not_captured true"]);
    const open = watermark(ms(900));
    assert.deepEqual(judged(cites(), [...both, using(undefined)], open), ["inconclusive not_captured true"]);
    assert.deepEqual(judged(cites(), [...both, using(undefined, { unsettled: ["args"] })], open), [
      "inconclusive data_incomplete false",
    ]);
    const [one] = judgeOn(ruleOf(cites()), [using(undefined)]).instances;
    assert.deepEqual([one?.anchor, one?.reason], ["use", "args.cited is not known"]);
  });
  it("is as bad as the worst: what comes too late is late", () => {
    assert.deepEqual(judged(cites(), [reading("r1", "x"), reading("r2", "y", 90), using(["x", "y"])]), [
      "violated witness_late true",
    ]);
    assert.deepEqual(
      judged(cites(), [reading("r1", "x"), reading("r2", "y", 45, { host: "h2" }), using(["x", "y"])]),
      ["inconclusive order_unknown true"],
    );
    const two = [reading("r1", "y", 90), reading("r2", "y"), reading("r0", "x"), using(["x", "y"])];
    assert.deepEqual(judged(cites(), two), ["satisfied - true"]);
  });
  it("shares the link's other keys", () => {
    const bind = [{ anchor: ["user"], witness: ["user"] }];
    const by = (user: string) => ({ fields: { user } });
    assert.deepEqual(judged(cites({ bind }), [reading("r1", "x", 10, by("u")), using(["x"], by("u"))]), [
      "satisfied - true",
    ]);
    assert.deepEqual(judged(cites({ bind }), [reading("r1", "x", 10, by("v")), using(["x"], by("u"))]), [
      "violated wrong_entity true",
    ]);
  });
  it("of events that the rule does not mean is not asked", () => {
    assert.deepEqual(judged(cites(), [event({ id: "other", name: "other", args: { cited: ["z"] } })]), []);
  });
});

describe("each of several, in a part of the scope", () => {
  const program = within({ after: named("open") }, cites());
  const at = (host: string, start: number, completeness?: Completeness) =>
    judgeOn(
      ruleOf(program),
      [event({ id: "open", name: "open", start, host }), reading("r1", "x"), using(["x"])],
      completeness,
    ).instances.map(({ verdict, code, final }) => `${verdict} ${code ?? "-"} ${final}`);
  it("counts only where the anchor lies in it", () => {
    assert.deepEqual(at("h1", 20), ["satisfied - true"]);
    assert.deepEqual(at("h1", 60), []);
    assert.deepEqual(at("h2", 40), ["inconclusive order_unknown true"]);
    assert.deepEqual(at("h2", 40, watermark(ms(900))), ["inconclusive order_unknown false"]);
  });
});

describe("each of several that is named by reference", () => {
  const built = cites({ each: { anchor: ["parents"], witness: "reference" } });
  const spans = (spanId: string) => ({ spans: [{ traceId: "r1", spanId }] });
  it("is found by event, span or call id", () => {
    const parents = (...ids: string[]) => using(undefined, { args: {}, fields: { parents: ids } });
    const events = [
      reading("r1", "x"),
      reading("r2", "y", 10, { callId: "c2" }),
      { ...reading("r3", "z"), ...spans("s3") },
    ];
    assert.deepEqual(judged(built, [...events, parents("r1", "c2", "s3")]), ["satisfied - true"]);
    assert.deepEqual(judged(built, [...events, parents("r1", "nowhere")]), ["violated witness_missing true"]);
  });
  it("any of those that may be meant will do", () => {
    const twins = [reading("r1", "x", 10, { callId: "c" }), event({ id: "o", name: "other", callId: "c" })];
    assert.deepEqual(judged(built, [...twins, using(undefined, { args: {}, fields: { parents: ["c"] } })]), [
      "satisfied - true",
    ]);
    const same = [
      { ...reading("r1", "x"), ...spans("s") },
      { ...event({ id: "o", name: "other", run: "r2" }), spans: [{ traceId: "r3", spanId: "s" }] },
    ];
    assert.deepEqual(
      judged(built, [...same, using(undefined, { args: {}, run: "r9", fields: { parents: ["s"] } })]),
      ["satisfied - true"],
    );
  });
});
