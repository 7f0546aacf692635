import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InputError } from "../../src/cli/input-error.ts";
import { readPlainList } from "../../src/cli/plain-list.ts";
import { plainDay } from "../../src/cli/plain-times.ts";
import type { Value } from "../../src/model/value.ts";

const read = (...values: readonly Value[]) =>
  readPlainList(
    "run.json",
    "run",
    values.map((value, index) => ({ value, line: index + 2 })),
  );
const call = (parts: Readonly<Record<string, Value>>): Value => ({ type: "tool_call", name: "t", ...parts });
const seconds = (at: bigint | null): number | null =>
  at === null ? null : Number((at - plainDay) / 1_000_000n) / 1_000;
const times = (...values: readonly Value[]) =>
  read(...values).events.map(({ start, end }) => [seconds(start), seconds(end)]);

describe("plain event lists", () => {
  it("read the other words for kind, start and end, and keep every other field", () => {
    const { events, timed } = read(
      { type: "tool_call", name: "check", result: "denied", seq: 3, arguments: { a: 1 } },
      { type: "final_answer" },
    );
    assert.equal(timed, false);
    assert.deepEqual(
      events.map(({ id, run, fields }) => ({ id, run, fields: Object.fromEntries(fields) })),
      [
        {
          id: "run:1",
          run: "run",
          fields: { kind: "tool_call", name: "check", result: "denied", seq: 3, args: { a: 1 } },
        },
        { id: "run:2", run: "run", fields: { kind: "final_answer" } },
      ],
    );
  });

  it("take their order from the list where nothing has a time", () => {
    assert.deepEqual(times(call({}), call({})), [
      [0.001, 0.001],
      [0.002, 0.002],
    ]);
  });

  it("read a clock time as one day in UTC", () => {
    assert.deepEqual(times(call({ started_at: "10:00:01", finished_at: "10:00:04.250" })), [
      [36_001, 36_004.25],
    ]);
  });

  it("pass midnight once, inside an event or between two", () => {
    assert.deepEqual(
      times(
        call({ started_at: "23:59:58", finished_at: "00:00:01" }),
        call({ started_at: "00:00:02", finished_at: "00:00:03" }),
      ),
      [
        [86_398, 86_401],
        [86_402, 86_403],
      ],
    );
    assert.deepEqual(
      times(
        call({ started_at: "00:00:02", finished_at: "00:00:03" }),
        call({ started_at: "23:59:58", finished_at: "23:59:59" }),
      ),
      [
        [2, 3],
        [-2, -1],
      ],
    );
  });

  it("keep the order of the times where every event has one, whatever the order of the list", () => {
    assert.deepEqual(
      times(
        call({ started_at: "10:00:05", finished_at: "10:00:06" }),
        call({ started_at: "10:00:01", finished_at: "10:00:02" }),
      ),
      [
        [36_005, 36_006],
        [36_001, 36_002],
      ],
    );
  });

  it("read milliseconds and RFC 3339", () => {
    assert.deepEqual(times(call({ start: 1_000, end: 4_000 })), [[1, 4]]);
    const [event] = read(
      call({ start: "2026-03-01T12:00:00.000000001+02:00", end: 1_772_359_200_000 }),
    ).events;
    assert.equal(event?.start, 1_772_359_200_000_000_001n);
    assert.equal(event?.end, 1_772_359_200_000_000_000n);
  });

  it("leave an event without an end open", () => {
    assert.deepEqual(times(call({ start: 1_000 }), call({ start: 2_000, end: 3_000 })), [
      [1, null],
      [2, 3],
    ]);
  });

  it("put an event without a time between its neighbours", () => {
    assert.deepEqual(
      times(
        call({}),
        call({ start: 1_000, end: 2_000 }),
        call({}),
        call({}),
        call({ start: 5_000, end: 6_000 }),
        call({}),
      ),
      [
        [0.999, 0.999],
        [1, 2],
        [3, 3],
        [4, 4],
        [5, 6],
        [6.001, 6.001],
      ],
    );
  });
});

describe("plain event lists refuse, with the line,", () => {
  const table: readonly {
    readonly name: string;
    readonly values: readonly Value[];
    readonly line: number;
    readonly says: RegExp;
  }[] = [
    { name: "something that is no object", values: ["tool_call"], line: 2, says: /must be an object/ },
    { name: "a call without a name", values: [{ type: "tool_call" }], line: 2, says: /no `name`/ },
    {
      name: "a status that is no word for one",
      values: [call({ status: "sucess" })],
      line: 2,
      says: /`status` cannot be "sucess"/,
    },
    { name: "two words for one field", values: [call({ kind: "tool_call" })], line: 2, says: /two words/ },
    {
      name: "an id used twice",
      values: [call({ id: "a" }), call({ id: "a" })],
      line: 3,
      says: /already used on line 2/,
    },
    { name: "a time that is none", values: [call({ started_at: "noon" })], line: 2, says: /not a time/ },
    { name: "an hour that is none", values: [call({ started_at: "25:00:00" })], line: 2, says: /not a time/ },
    {
      name: "a date without an offset",
      values: [call({ started_at: "2026-03-01T10:00:00" })],
      line: 2,
      says: /no offset/,
    },
    { name: "a negative number", values: [call({ start: -1 })], line: 2, says: /not a time/ },
    {
      name: "a position that contradicts a time",
      values: [call({ start: 5_000, end: 6_000 }), call({}), call({ start: 1_000, end: 2_000 })],
      line: 3,
      says: /leave no room/,
    },
    {
      name: "times out of order where some are missing",
      values: [call({ start: 5_000, end: 6_000 }), call({ start: 1_000, end: 2_000 }), call({})],
      line: 3,
      says: /starts before the one on line 2/,
    },
    {
      name: "a second midnight",
      values: ["23:00:00", "05:00:00", "16:00:00", "02:00:00"].map((at) => call({ started_at: at })),
      line: 5,
      says: /midnight more than once/,
    },
  ];
  for (const { name, values, line, says } of table) {
    it(name, () => {
      assert.throws(
        () => read(...values),
        (error) => {
          assert.ok(error instanceof InputError);
          assert.equal(error.place, `run.json:${line}`);
          assert.match(error.message, says);
          assert.notEqual(error.cure, "");
          return true;
        },
      );
    });
  }
});
