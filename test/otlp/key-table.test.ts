import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KeySelection, wants } from "../../src/model/attribute-plan.ts";
import { KeyTable, unnamed } from "../../src/otlp/key-table.ts";
import fc from "../support/properties.ts";

/** What the table says of a key that stands somewhere inside a message; null for unwanted. */
function find(table: KeyTable, key: string): string | null {
  const bytes = Buffer.from(`before${key}behind`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = table.find(view, 6, bytes.length - 6);
  return found === unnamed ? key : found;
}

const key = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", ".", "ü"), maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
);

describe("the table of wanted keys", () => {
  it("wants what the selection wants, byte for byte", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { maxLength: 80 }),
        fc.array(key, { maxLength: 3 }),
        fc.array(key, { minLength: 1, maxLength: 20 }),
        (exact, prefixes, others) => {
          const selection: KeySelection = { exact: new Set(exact), prefixes };
          const table = new KeyTable(selection);
          for (const asked of [...exact, ...others, ...exact.map((one) => `${one}x`)]) {
            assert.equal(find(table, asked), wants(selection, asked) ? asked : null, JSON.stringify(asked));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("tells keys apart that differ in one byte, wherever it stands", () => {
    const base = "gen_ai.tool.call.arguments";
    const table = new KeyTable({ exact: new Set([base]), prefixes: [] });
    assert.equal(find(table, base), base);
    for (let at = 0; at < base.length; at += 1) {
      assert.equal(find(table, `${base.slice(0, at)}#${base.slice(at + 1)}`), null);
      assert.equal(find(table, base.slice(0, at)), null);
    }
  });

  it("holds thousands of keys", () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `attribute.${index}`);
    const table = new KeyTable({ exact: new Set(keys), prefixes: [] });
    assert.ok(keys.every((one) => find(table, one) === one));
    assert.equal(find(table, "attribute.5000"), null);
  });
});
