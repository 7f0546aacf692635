import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TextTable } from "../../src/otlp/text-table.ts";
import fc from "../support/properties.ts";

describe("the table of texts", () => {
  it("reads as TextDecoder does, in any order and from any place", () => {
    const table = new TextTable();
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: fc.constantFrom("a", "b", "\0"), maxLength: 4 }).map((text) => Buffer.from(text)),
      fc.string({ unit: "binary", maxLength: 60 }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), (texts) => {
        const bytes = Buffer.concat(texts);
        let at = 0;
        for (const text of texts) {
          assert.equal(table.read(bytes, at, at + text.length), decoder.decode(text));
          at += text.length;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("counts texts that are no UTF-8, and nothing else", () => {
    const table = new TextTable();
    const read = (...bytes: readonly number[]): string => table.read(Buffer.from(bytes), 0, bytes.length);
    read(0x61);
    read(0xef, 0xbf, 0xbd);
    assert.equal(table.invalid, 0);
    read(0xff);
    read(0x61, 0xc3);
    assert.equal(table.invalid, 2);
  });

  it("keeps texts apart that share a slot", () => {
    const table = new TextTable();
    const texts = Array.from({ length: 20_000 }, (_, index) => `text ${index}`);
    for (const text of [...texts, ...texts.toReversed()]) {
      assert.equal(table.read(Buffer.from(text), 0, text.length), text);
    }
  });
});
