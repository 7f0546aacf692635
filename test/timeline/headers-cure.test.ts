import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../src/model/event.ts";
import { timelineOf } from "../../src/timeline/view-model.ts";
import { event, gate, input, rule } from "./events.ts";

/** A call of which the key is asked; its requests were recorded without headers. */
const call: Event = { ...event({ id: "a", name: "pay" }), flaws: ["headers_not_captured"] };
const bind = (path: readonly string[]) =>
  rule({ link: { ...gate, bind: [{ anchor: path, witness: path }] } });

const cure = (path: readonly string[], one: Event): string | null =>
  timelineOf({
    ...input([], { anchor: "a", code: "unbound_key" }, { rule: bind(path) }),
    events: [one],
  }).cure;

describe("a verdict that lacked what an HTTP header says", () => {
  it("says what to switch on, also when it is decided", () => {
    for (const path of [["key"], ["if_match"], ["version"]]) {
      assert.match(cure(path, call) ?? "", /Headers in the HTTP spans below the call/);
    }
  });

  it("says nothing of the kind where another field is missing, where it is there, and where headers were recorded", () => {
    assert.equal(cure(["args", "plan"], call), null);
    assert.equal(cure(["key"], { ...call, fields: new Map([["key", "k"]]) }), null);
    assert.equal(cure(["key"], { ...call, flaws: [] }), null);
  });
});
