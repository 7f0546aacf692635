/** How single values compare, and what each test of a pattern says of a value, of none and of an unknown one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Reading } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import type { ValueTest } from "../../../src/rules/pattern.ts";
import { because, no, yes } from "../../../src/rules/truth.ts";
import { allOf, anyOf, compileGlob, compileTest } from "../../../src/rules/value-test.ts";
import { compareValues, keyText, parseInstant, readInstant, sameValue } from "../../../src/rules/values.ts";

const bytes = (...of: readonly number[]): Uint8Array => Uint8Array.from(of);

describe("equal values", () => {
  const pairs: readonly [Value, Value, boolean][] = [
    ["a", "a", true],
    ["a", "b", false],
    ["1", 1, false],
    [1, 1n, true],
    [2, 1n, false],
    [9007199254740993n, 9007199254740992, false],
    [true, "true", false],
    [null, null, true],
    [null, {}, false],
    [{}, null, false],
    [[], {}, false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [[1], [1, null], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
    [{ a: 1, b: 2 }, { a: 3, b: 2 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: null }, { b: null }, false],
    [{ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }, true],
    [{ a: [1, { b: "c" }] }, { a: [1, { b: "d" }] }, false],
    [bytes(1, 2), bytes(1, 2), true],
    [bytes(1, 2), bytes(2, 1), false],
    [bytes(), {}, false],
    [{}, bytes(), false],
    [bytes(1), [1], false],
  ];
  for (const [a, b, same] of pairs) {
    it(`${text(a)} and ${text(b)} are ${same ? "" : "not "}equal, either way`, () => {
      assert.equal(sameValue(a, b), same);
      assert.equal(sameValue(b, a), same);
    });
  }
});

describe("values in order", () => {
  const pairs: readonly [Value, Value, -1 | 0 | 1 | null][] = [
    [1, 2, -1],
    [2n, 2, 0],
    [9007199254740993n, 9007199254740992, 1],
    [Number.NaN, 1, null],
    [1, Number.NaN, null],
    ["a", "b", -1],
    ["a", "a", 0],
    ["B", "a", -1],
    ["10", "9", -1],
    ["10", 9, null],
    [9, "10", null],
    [true, false, null],
    [[1], [1], null],
    [null, null, null],
    ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+02:00", 1],
    ["2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", 0],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z", -1],
    // One of them is no time: as text.
    ["2026-01-01T09:00:00Z", "2026-01-01T10", -1],
  ];
  for (const [a, b, order] of pairs) {
    it(`${text(a)} against ${text(b)}: ${order}`, () => {
      assert.equal(compareValues(a, b), order);
      assert.equal(compareValues(b, a), order === null ? null : order === 0 ? 0 : -order);
    });
  }
});

describe("times in text", () => {
  const year2026 = 1_767_225_600_000_000_000n;
  const readable: readonly [string, bigint][] = [
    ["2026-01-01T00:00:00Z", year2026],
    ["2026-01-01t00:00:00z", year2026],
    ["2026-01-01 00:00:00Z", year2026],
    ["2026-01-01T00:00:00.5Z", year2026 + 500_000_000n],
    ["2026-01-01T00:00:00.1234567891Z", year2026 + 123_456_789n],
    ["2026-01-01T00:00:00-01:30", year2026 + 5_400_000_000_000n],
    ["2026-01-01T00:00:00+01:30", year2026 - 5_400_000_000_000n],
    ["2026-01-01T23:59:59Z", year2026 + 86_399_000_000_000n],
    ["2026-01-01T00:00:60Z", year2026 + 60_000_000_000n],
    ["2026-01-01T00:00:00+23:59", year2026 - 86_340_000_000_000n],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000_000_000n],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000_000_000n],
  ];
  for (const [written, nanos] of readable) {
    it(`reads ${written}`, () => assert.equal(parseInstant(written), nanos));
  }
  const refused = [
    "2026-01-01T00:00:00",
    "2026-01-01",
    "x2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Zx",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:61Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+00:60",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    // A month further on has the day of the same number.
    "2026-14-01T00:00:00Z",
    "2026-01-01T00:00:00.Z",
  ];
  for (const written of refused) {
    it(`takes ${written} for no time`, () => assert.equal(parseInstant(written), null));
  }

  it("reads numbers by their unit alone", () => {
    assert.equal(readInstant(5, null), null);
    assert.equal(readInstant(5, "s"), 5_000_000_000n);
    assert.equal(readInstant(1.25, "s"), 1_250_000_000n);
    assert.equal(readInstant(-1.5, "ms"), -1_500_000n);
    assert.equal(readInstant(7n, "ms"), 7_000_000n);
    assert.equal(readInstant(7n, "ns"), 7n);
    assert.equal(readInstant(Number.POSITIVE_INFINITY, "s"), null);
    assert.equal(readInstant(Number.NaN, "s"), null);
    assert.equal(readInstant(true, "s"), null);
    assert.equal(readInstant("2026-01-01T00:00:00Z", "s"), year2026);
    assert.equal(readInstant("5", "s"), null);
  });
});

describe("keys", () => {
  it("are one where their text is", () => {
    assert.equal(keyText(5310), "5310");
    assert.equal(keyText(5310n), "5310");
    assert.equal(keyText("5310"), "5310");
    assert.equal(keyText(0.5), "0.5");
    assert.equal(keyText(1e21), "1000000000000000000000");
  });

  it("keep what is no text apart from its text", () => {
    assert.notEqual(keyText(true), keyText("true"));
    assert.notEqual(keyText(["a"]), keyText('["a"]'));
    assert.equal(keyText(["a"]), keyText(["a"]));
  });

  it("are none where there is nothing", () => {
    for (const nothing of [undefined, null, ""]) assert.equal(keyText(nothing), null);
    assert.equal(keyText(0), "0");
    assert.notEqual(keyText(false), null);
  });
});

describe("a test of one value", () => {
  const value = (of: Value): Reading => ({ is: "value", value: of });
  const absent: Reading = { is: "absent" };
  const unknown: Reading = { is: "unknown", code: "not_captured" };
  const cases: readonly (readonly [ValueTest, Reading, string])[] = [
    [{ op: "gt", value: 2 }, value(3), "true null"],
    [{ op: "gt", value: 2 }, value(2), "false null"],
    [{ op: "gt", value: 2 }, value("3"), "false null"],
    [{ op: "ge", value: 2 }, value(3), "true null"],
    [{ op: "ge", value: 2 }, value(2), "true null"],
    [{ op: "ge", value: 2 }, value(1), "false null"],
    [{ op: "ge", value: 2 }, value("2"), "false null"],
    [{ op: "lt", value: 2 }, value(1), "true null"],
    [{ op: "lt", value: 2 }, value(2), "false null"],
    [{ op: "lt", value: 2 }, value(true), "false null"],
    [{ op: "le", value: 2 }, value(1), "true null"],
    [{ op: "le", value: 2 }, value(2), "true null"],
    [{ op: "le", value: 2 }, value(3), "false null"],
    [{ op: "le", value: 2 }, value("1"), "false null"],
    [{ op: "ne", value: "a" }, value("b"), "true null"],
    [{ op: "ne", value: "a" }, value("a"), "false null"],
    [{ op: "ne", value: "a" }, absent, "false missing_attribute"],
    [{ op: "equals", value: "a" }, unknown, "unknown not_captured"],
    [{ op: "equals", value: "a" }, absent, "false missing_attribute"],
    [{ op: "exists", wanted: true }, value(0), "true null"],
    [{ op: "exists", wanted: true }, value(""), "false missing_attribute"],
    [{ op: "exists", wanted: true }, absent, "false missing_attribute"],
    [{ op: "exists", wanted: true }, unknown, "unknown not_captured"],
    [{ op: "exists", wanted: false }, absent, "true null"],
    [{ op: "exists", wanted: false }, value(""), "true null"],
    [{ op: "exists", wanted: false }, value("x"), "false null"],
    [{ op: "exists", wanted: false }, unknown, "unknown not_captured"],
    [{ op: "matches", pattern: "^a+$" }, value("aa"), "true null"],
    [{ op: "matches", pattern: "b" }, value("abc"), "true null"],
    [{ op: "matches", pattern: "1" }, value(1), "false null"],
    [{ op: "glob", glob: "a*" }, value("abc"), "true null"],
    [{ op: "glob", glob: "1*" }, value(12), "false null"],
    [one("a", "b"), value("b"), "true null"],
    [one("a", "b"), value("c"), "false null"],
    [one("a", "b"), absent, "false missing_attribute"],
    [all({ op: "gt", value: 1 }, { op: "lt", value: 3 }), value(2), "true null"],
    [all({ op: "gt", value: 1 }, { op: "lt", value: 3 }), value(3), "false null"],
    [all({ op: "gt", value: 1 }, { op: "lt", value: 3 }), value(1), "false null"],
    [fields({ a: 1, b: 2 }), value({ a: 1, b: 2, c: 3 }), "true null"],
    [fields({ a: 1, b: 2 }), value({ a: 1 }), "false missing_attribute"],
    [fields({ a: 1, b: 2 }), value({ a: 1, b: null }), "false missing_attribute"],
    [fields({ a: 1, b: 2 }), value({ a: 1, b: 3 }), "false null"],
    [fields({ a: 1 }), unknown, "unknown not_captured"],
    [fields({ a: 1 }), absent, "false missing_attribute"],
  ];
  for (const [test, reading, want] of cases) {
    it(`${text(test)} of ${text(reading)}: ${want}`, () => {
      const { truth, code } = compileTest(test, ["args", "x"])(reading);
      assert.equal(`${truth} ${code}`, want);
    });
  }

  it("knows a result that is one text in JSON, with space around it too, as that text", () => {
    const ok = compileTest({ op: "equals", value: "ok" }, ["result"]);
    for (const same of ["ok", '"ok"', ' "ok"\n']) assert.equal(ok(value(same)).truth, "true", same);
    for (const other of [" ok", "OK", '"ok', 1]) assert.equal(ok(value(other)).truth, "false", String(other));
    const inner = compileTest({ op: "equals", value: "ok" }, ["result", "status"]);
    assert.equal(inner(value('"ok"')).truth, "false");
  });

  it("takes denied for refused where the status is asked, nowhere else", () => {
    const denied: ValueTest = { op: "equals", value: "denied" };
    assert.equal(compileTest(denied, ["status"])(value("refused")).truth, "true");
    assert.equal(compileTest(denied, ["status"])(value("denied")).truth, "true");
    assert.equal(compileTest(denied, ["args", "status"])(value("refused")).truth, "false");
    assert.equal(compileTest(denied, ["status", "x"])(value("refused")).truth, "false");
  });

  it("takes braces and brackets of a glob for what they are", () => {
    assert.equal(compileGlob("a{b,c}")("ab"), false);
    assert.equal(compileGlob("a{b,c}")("a{b,c}"), true);
    assert.equal(compileGlob("+(a)")("aa"), false);
    assert.equal(compileGlob("a?c")("abc"), true);
    assert.equal(compileGlob("a?c")("ac"), false);
  });
});

describe("several tests together", () => {
  const unknown = because("unknown", "not_captured");
  const later = because("unknown", "data_incomplete");
  const near = because("false", "wrong_status");
  const far = because("false", "missing_attribute");
  const self = <T>(one: T): T => one;

  it("all of them: a no decides, else the first that is unknown speaks", () => {
    assert.deepEqual(allOf([], self), yes);
    assert.deepEqual(allOf([yes, yes], self), yes);
    assert.deepEqual(allOf([unknown, later, yes], self), unknown);
    assert.deepEqual(allOf([unknown, near], self), near);
    assert.deepEqual(allOf([yes, no, unknown], self), no);
  });

  it("any of them: a yes decides, else the first that is unknown, else the nearest miss", () => {
    assert.deepEqual(anyOf([], self), no);
    assert.deepEqual(anyOf([no, unknown, yes], self), yes);
    assert.deepEqual(anyOf([near, unknown, later, near], self), unknown);
    const ranked = [near, far].map(({ code }) => anyOf([because("false", code), no], self).code);
    assert.deepEqual(ranked, ["wrong_status", "missing_attribute"]);
    assert.deepEqual(anyOf([far, near], self), anyOf([near, far], self));
    assert.deepEqual(anyOf([no, far], self), far);
    assert.deepEqual(anyOf([far, no], self), far);
  });
});

function one(...values: readonly string[]): ValueTest {
  return { op: "one_of", tests: values.map((value): ValueTest => ({ op: "equals", value })) };
}

function all(...tests: readonly ValueTest[]): ValueTest {
  return { op: "all", tests };
}

function fields(of: Readonly<Record<string, number>>): ValueTest {
  const tests = Object.entries(of).map(([path, value]) => ({
    path: [path],
    test: { op: "equals", value } as const,
  }));
  return { op: "fields", fields: tests };
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return `${inner}n`;
    return inner instanceof Uint8Array ? `bytes ${[...inner].join(" ")}` : inner;
  });
}
