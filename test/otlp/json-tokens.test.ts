import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everything } from "../../src/model/attribute-plan.ts";
import { DecodeError } from "../../src/otlp/decode-error.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { holdsMoreTokens, maxJsonTokens } from "../../src/otlp/json-tokens.ts";
import fc from "../support/properties.ts";

const decode = (text: string): unknown =>
  decodeTracesJson(Buffer.from(text), everything, defaultDecodeLimits);

/** Objects, arrays, colons and commas that JSON writes for a value; slow and obvious. */
function tokensOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  const inside = members.reduce<number>((sum, member) => sum + tokensOf(member), 0);
  const colons = Array.isArray(value) ? 0 : members.length;
  return 1 + colons + Math.max(0, members.length - 1) + inside;
}

describe("tokens of a JSON body", () => {
  it("counts what the value is made of, and nothing within its strings", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const body = Buffer.from(JSON.stringify(value, null, indent));
        const tokens = tokensOf(value);
        // A body of fewer bytes than the bound is not looked at: padding takes that shortcut away.
        const padded = Buffer.concat([body, Buffer.alloc(tokens + 1, 0x20)]);
        assert.equal(holdsMoreTokens(padded, tokens), false);
        if (tokens > 0) assert.equal(holdsMoreTokens(padded, tokens - 1), true);
      }),
      { numRuns: 500 },
    );
  });

  for (const { name, text, tokens } of [
    { name: "an escaped quote does not end a string", text: '["a\\",{[:"]    ', tokens: 1 },
    { name: "an escaped backslash before the quote does", text: '["a\\\\",{[:"]  ', tokens: 5 },
    { name: "a string that never ends hides the rest", text: '[",,,,,,,,,,,,', tokens: 1 },
    { name: "a backslash at the very end is no way out of the body", text: '[[["\\', tokens: 3 },
  ]) {
    it(name, () => {
      assert.equal(holdsMoreTokens(Buffer.from(text), tokens), false);
      assert.equal(holdsMoreTokens(Buffer.from(text), tokens - 1), true);
    });
  }

  it("refuses a body of nothing but objects, nested or not, before it is parsed", () => {
    const many = maxJsonTokens / 2 + 1;
    for (const text of [
      `{"x":[${"{},".repeat(many)}{}]}`,
      "[".repeat(2 * many),
      `{"x":${"[".repeat(2 * many)}${"]".repeat(2 * many)}}`,
    ]) {
      assert.throws(
        () => decode(text),
        (error) =>
          error instanceof DecodeError && /more than 8000000 objects.* Send fewer spans/.test(error.message),
      );
    }
  });

  it("takes a large body that is large by its texts", () => {
    const filler = "x".repeat(maxJsonTokens + 1);
    assert.doesNotThrow(() => decode(`{"filler":"${filler}","resourceSpans":[]}`));
  });
});
