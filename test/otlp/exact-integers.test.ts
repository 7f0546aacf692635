import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mayHoldLongInteger, quoteLongIntegers } from "../../src/otlp/exact-integers.ts";
import fc from "../support/properties.ts";

const mayHold = (text: string): boolean => mayHoldLongInteger(Buffer.from(text));

describe("long integers in JSON", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["[1234567890123456]", '["1234567890123456"]'],
    ["[123456789012345]", "[123456789012345]"],
    ["[-1234567890123456,1]", '["-1234567890123456",1]'],
    ['{"a":1544712660000000001}', '{"a":"1544712660000000001"}'],
    ['{"a":"1544712660000000001"}', '{"a":"1544712660000000001"}'],
    ['"\\"1544712660000000001"', '"\\"1544712660000000001"'],
    ['["\\\\",1544712660000000001]', '["\\\\","1544712660000000001"]'],
    ["0.1234567890123456789", "0.1234567890123456789"],
    ["1234567890123456.5", "1234567890123456.5"],
    ["1234567890123456e2", "1234567890123456e2"],
    ["01234567890123456", "01234567890123456"],
    ["1544712660000000001", '"1544712660000000001"'],
    ['"unclosed 1544712660000000001', '"unclosed 1544712660000000001'],
  ];
  for (const [text, want] of cases) {
    it(text, () => {
      assert.equal(quoteLongIntegers(text), want);
      if (text !== want) assert.equal(mayHold(text), true);
    });
  }

  it("one number as long as a body", () => {
    const digits = "9".repeat(16 * 1024 * 1024);
    assert.equal(quoteLongIntegers(`[${digits}]`) === `["${digits}"]`, true);
  });

  it("a timestamp that is text already does not take the slow way", () => {
    assert.equal(
      mayHold('{"startTimeUnixNano":"1544712660000000001","a":"0af7651916cd43dd8448eb211c80319c"}'),
      false,
    );
    assert.equal(mayHold(`[${Array.from({ length: 100 }, (_, index) => index * 1e9).join(",")}]`), false);
  });

  it("sixteen digits are seen wherever they stand, fifteen nowhere", () => {
    for (let spaces = 0; spaces < 40; spaces += 1) {
      assert.equal(mayHold(`[${" ".repeat(spaces)}1234567890123456]`), true, `${spaces}`);
      assert.equal(mayHold(`[${" ".repeat(spaces)}123456789012345]`), false, `${spaces}`);
    }
  });

  it("changes nothing else: the same value, with long integers as their text", () => {
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({
          unit: fc.constantFrom('"', "\\", "1", "23456789", ":", "-", "x", "\n", "é", "\u{1f600}"),
        }),
        fc.constantFrom(true, false, null),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = written(value, indent === 1 ? " " : "");
        const want = written(value, "", true);
        if (mayHold(text)) assert.deepEqual(JSON.parse(quoteLongIntegers(text)), JSON.parse(want));
        else assert.equal(text.replaceAll(" ", ""), want.replaceAll(" ", ""));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** JSON of a value that holds bigints: bare, or the long ones in quotes. */
function written(value: unknown, space: string, quoteLong = false): string {
  if (typeof value === "bigint") {
    const long = String(value).replace("-", "").length >= 16;
    return long && quoteLong ? `"${value}"` : String(value);
  }
  if (Array.isArray(value))
    return `[${value.map((one) => space + written(one, space, quoteLong)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, one]) => `${JSON.stringify(key)}:${space}${written(one, space, quoteLong)}`,
    );
    return `{${members.join(",")}}`;
  }
  // A double that happens to be a long integer is written as the decimal it is.
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) >= 1e15)
    return `${value}`.includes("e") ? `${value}` : `${value}.0`;
  return JSON.stringify(value);
}
