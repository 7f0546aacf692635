/** Counts for each key, where of some events nobody knows the key (docs/semantics.md 5). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Count } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, named, ruleOf } from "../../support/programs.ts";
import { event, ms, watermark } from "../../support/scope.ts";

const pay = named("pay");
/** One call a letter, of that key; `?` is one whose arguments nobody captured. */
const paid = (keys: string): Event[] =>
  [...keys].map((key, i) =>
    event({
      id: `e${i}`,
      name: "pay",
      start: i * 10,
      end: i * 10 + 1,
      ...(key === "?" ? {} : { args: { id: key } }),
    }),
  );
const judged = (keys: string, bounds: Partial<Count>) =>
  judgeOn(ruleOf(count(pay, { ...bounds, bind: [["args", "id"]] })), paid(keys));

describe("an event whose key is not known", () => {
  const cases: readonly {
    readonly name: string;
    readonly keys: string;
    readonly bounds: Partial<Count>;
    readonly want: readonly (readonly [string, string])[];
  }[] = [
    {
      name: "may be the only one of a key of its own, which is too few",
      keys: "aa?",
      bounds: { min: 2 },
      want: [
        ["a", "satisfied"],
        ["", "inconclusive"],
      ],
    },
    {
      name: "is enough by itself where one is asked for",
      keys: "aa?",
      bounds: { min: 1 },
      want: [["a", "satisfied"]],
    },
    {
      name: "may have no key at all, so alone it is not too few for sure",
      keys: "?",
      bounds: { min: 2 },
      want: [["", "inconclusive"]],
    },
    { name: "is allowed whatever its key", keys: "?", bounds: { max: 1 }, want: [["", "satisfied"]] },
    {
      name: "may share a key with the others",
      keys: "??",
      bounds: { max: 1 },
      want: [["", "inconclusive"]],
    },
    {
      name: "does not excuse a key that has too many",
      keys: "aaa?",
      bounds: { min: 2, max: 2 },
      want: [
        ["a", "violated"],
        ["", "inconclusive"],
      ],
    },
  ];
  for (const { name, keys, bounds, want } of cases) {
    it(name, () => {
      assert.deepEqual(
        judged(keys, bounds).instances.map(({ key, verdict }) => [key, verdict]),
        want,
      );
    });
  }

  it("says why, and is final once no more can come", () => {
    const own = judged("aa?", { min: 2 }).instances.at(-1);
    assert.deepEqual([own?.code, own?.final], ["not_captured", true]);
  });

  it("waits while more of its key may come", () => {
    const rule = ruleOf(count(pay, { min: 2, bind: [["args", "id"]] }));
    const own = judgeOn(rule, paid("aa?"), watermark(ms(50))).instances.at(-1);
    assert.deepEqual([own?.key, own?.verdict, own?.final], ["", "pending", false]);
  });
});
