import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IdTable } from "../../src/otlp/id-table.ts";

/** Ids that differ from each other in one 32-bit word only, more of them than the table has slots. */
function idsWithOneWord(words: number, varied: number): Buffer[] {
  return Array.from({ length: 6_000 }, (_, index) => {
    const id = Buffer.alloc(words * 4, 0xa5);
    id.writeUInt32BE(index * 7, varied * 4);
    return id;
  });
}

describe("the table of ids", () => {
  for (let varied = 0; varied < 2; varied += 1) {
    it(`span ids that differ in word ${varied}`, () => {
      const table = new IdTable();
      const ids = idsWithOneWord(2, varied);
      for (const id of [...ids, ...ids.toReversed(), ...ids]) {
        const view = new DataView(id.buffer, id.byteOffset, id.length);
        assert.equal(table.spanId(view, 0), id.toString("hex"));
        assert.equal(table.spanId(view, 0), id.toString("hex"));
      }
    });
  }

  for (let varied = 0; varied < 4; varied += 1) {
    it(`trace ids that differ in word ${varied}`, () => {
      const table = new IdTable();
      const ids = idsWithOneWord(4, varied);
      for (const id of [...ids, ...ids.toReversed(), ...ids]) {
        const view = new DataView(id.buffer, id.byteOffset, id.length);
        assert.equal(table.traceId(view, 0), id.toString("hex"));
        assert.equal(table.traceId(view, 0), id.toString("hex"));
      }
    });
  }

  it("a span id that is the beginning of a trace id is not that", () => {
    const table = new IdTable();
    const id = Buffer.from("0102030405060708090a0b0c0d0e0f10", "hex");
    const view = new DataView(id.buffer, id.byteOffset, id.length);
    assert.equal(table.traceId(view, 0), id.toString("hex"));
    assert.equal(table.spanId(view, 0), "0102030405060708");
    assert.equal(table.traceId(view, 0), id.toString("hex"));
  });

  it("the zero id, which an empty table must not seem to hold", () => {
    const view = new DataView(new ArrayBuffer(16));
    assert.equal(new IdTable().spanId(view, 0), "0".repeat(16));
    assert.equal(new IdTable().traceId(view, 0), "0".repeat(32));
  });
});
