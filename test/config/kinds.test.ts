import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type * as z from "zod";
import {
  duration,
  endpoint,
  formatEndpoint,
  formatSize,
  parseEndpoint,
  size,
} from "../../src/config/kinds.ts";

const read = (kind: z.ZodType, value: unknown): unknown => {
  const result = kind.safeParse(value);
  return result.success ? result.data : "refused";
};

describe("a size", () => {
  const rows: readonly [unknown, number | "refused"][] = [
    ["64MiB", 67_108_864],
    ["1.5KiB", 1_536],
    ["2 GB", 2_000_000_000],
    ["10B", 10],
    [4_096, 4_096],
    ["4096", 4_096],
    ["0", "refused"],
    ["0MiB", "refused"],
    ["-1MiB", "refused"],
    ["64mib", "refused"],
    ["MiB", "refused"],
    ["9007199254740993GiB", "refused"],
    [true, "refused"],
  ];
  for (const [given, bytes] of rows) {
    it(`${JSON.stringify(given)} is ${bytes}`, () => assert.equal(read(size(), given), bytes));
  }

  it("is printed in the largest unit that divides it", () => {
    assert.equal(formatSize(64 * 1024 ** 2), "64MiB");
    assert.equal(formatSize(1024 ** 3), "1GiB");
    assert.equal(formatSize(1_536), "1536B");
    for (const bytes of [1, 1_024, 1_536, 5 * 1024 ** 2])
      assert.equal(read(size(), formatSize(bytes)), bytes);
  });
});

describe("a length of time", () => {
  const rows: readonly [unknown, bigint | "refused"][] = [
    ["10s", 10_000_000_000n],
    ["1m30s", 90_000_000_000n],
    ["0s", "refused"],
    ["10", "refused"],
    [10, "refused"],
    ["-1s", "refused"],
    ["1 s", "refused"],
  ];
  for (const [given, nanos] of rows) {
    it(`${JSON.stringify(given)} is ${nanos}`, () => assert.equal(read(duration(), given), nanos));
  }

  it("may be zero where that means something", () => assert.equal(read(duration({ zero: true }), "0s"), 0n));
});

describe("an address to listen on", () => {
  const rows: readonly [string, { host: string; port: number } | null][] = [
    ["127.0.0.1:4318", { host: "127.0.0.1", port: 4318 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:9464", { host: "::1", port: 9464 }],
    ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
    ["0.0.0.0:65536", null],
    [":4318", null],
    ["::1:4318", null],
    ["127.0.0.1", null],
    ["http://127.0.0.1:4318", null],
    ["127.0.0.1:4318/v1", null],
    ["", null],
  ];
  for (const [text, wanted] of rows) {
    it(`${JSON.stringify(text)} is ${wanted === null ? "none" : formatEndpoint(wanted)}`, () => {
      assert.deepEqual(parseEndpoint(text), wanted);
      assert.deepEqual(read(endpoint(), text), wanted ?? "refused");
      if (wanted !== null) assert.equal(formatEndpoint(wanted), text);
    });
  }
});
