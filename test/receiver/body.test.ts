import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Lease } from "../../src/receiver/admission.ts";
import { type BodyReading, type BodySource, knownCodings, readBody } from "../../src/receiver/body.ts";
import fc from "../support/properties.ts";
import { bomb } from "./wire.ts";

const limit = 10_000;

/** A lease without bound that notes what it was asked for. */
function freeLease(): Lease & { asked: number } {
  const lease = {
    asked: 0,
    grow: (bytes: number) => {
      lease.asked += bytes;
      return null;
    },
    release: () => {},
  };
  return lease;
}

function source(bytes: Uint8Array, overrides: Partial<BodySource> = {}): BodySource {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (bytes.length > 0) yield bytes;
  }
  return { chunks: chunks(), declaredBytes: bytes.length, codings: [], ...overrides };
}

const gzipped = (bytes: Uint8Array): BodySource => source(bytes, { codings: ["gzip"] });

async function readAll(from: BodySource, max = limit): Promise<BodyReading> {
  return readBody(from, max, freeLease());
}

function wholeOf(reading: BodyReading): Buffer {
  assert.equal(reading.kind, "whole", JSON.stringify(reading));
  return reading.kind === "whole" ? Buffer.from(reading.bytes) : Buffer.alloc(0);
}

/** Bytes that gzip cannot shrink, the same each time. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (state >> 16) & 0xff;
    }),
  );
}

describe("body: limits", () => {
  const cases = [
    { name: "OTLP-16: exactly the limit", body: source(Buffer.alloc(limit)), want: "whole" },
    { name: "OTLP-16: one byte more", body: source(Buffer.alloc(limit + 1)), want: "too_large" },
    {
      name: "OTLP-16: one byte more, chunked",
      body: source(Buffer.alloc(limit + 1), { declaredBytes: null }),
      want: "too_large",
    },
    {
      name: "OTLP-17: inflates to exactly the limit",
      body: gzipped(gzipSync(Buffer.alloc(limit))),
      want: "whole",
    },
    {
      name: "OTLP-17: inflates to one byte more",
      body: gzipped(gzipSync(Buffer.alloc(limit + 1))),
      want: "too_large",
    },
    { name: "an empty body", body: source(Buffer.alloc(0)), want: "whole" },
    { name: "an empty chunked body", body: source(Buffer.alloc(0), { declaredBytes: null }), want: "whole" },
  ] as const;
  for (const { name, body, want } of cases) {
    it(`${name} is ${want}`, async () => {
      assert.equal((await readAll(body)).kind, want);
    });
  }

  it("OTLP-18: a Content-Length above the limit is refused before a byte is read", async () => {
    let read = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      read += 1;
      yield Buffer.alloc(1);
    }
    const reading = await readAll({ chunks: chunks(), declaredBytes: limit + 1, codings: [] });
    assert.equal(reading.kind, "too_large");
    assert.equal(read, 0);
  });

  it("stops reading an endless chunked body just past the limit", async () => {
    let sent = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sent += 1000;
        yield Buffer.alloc(1000);
      }
    }
    const reading = await readAll({ chunks: chunks(), declaredBytes: null, codings: [] });
    assert.equal(reading.kind, "too_large");
    assert.equal(sent, limit + 1000);
  });

  it("OTLP-17: a 1000:1 bomb is cut off near the limit, whatever it would inflate to", async () => {
    const max = 4 * 1024 * 1024;
    const body = bomb(200 * 1024 * 1024);
    assert.ok(body.length * 900 < 200 * 1024 * 1024, "not a bomb");
    const lease = freeLease();

    const reading = await readBody(gzipped(body), max, lease);

    assert.equal(reading.kind, "too_large");
    const inflated = lease.asked - body.length;
    assert.ok(inflated > max / 2, "nothing was inflated");
    assert.ok(inflated <= max + 2 * 1024 * 1024, `inflated ${inflated} bytes under a limit of ${max}`);
  });

  it("takes no more room for a small body than it can inflate to, whatever length it states", async () => {
    const small = gzipSync(Buffer.from("{}"));
    small.writeUInt32LE(0xffff_ffff, small.length - 4);
    const lease = freeLease();

    assert.equal((await readBody(gzipped(small), 64 * 1024 * 1024, lease)).kind, "malformed");
    assert.ok(lease.asked < 64 * 1024, `asked for ${lease.asked}`);
  });

  for (const codings of [[], ["gzip"]] as const) {
    it(`gives up where the lease does (${codings[0] ?? "identity"})`, async () => {
      const refusal = { reason: "full", retryAfterSeconds: 5 };
      const bytes = noise(9_000);
      const lease = freeLease();
      const narrow: Lease = {
        grow: (asked) => (lease.asked + asked > 2_000 ? refusal : lease.grow(asked)),
        release: () => {},
      };
      const body = codings[0] === "gzip" ? gzipSync(bytes) : bytes;
      const reading = await readBody(source(body, { codings }), limit, narrow);
      assert.equal(reading.kind, "refused");
    });
  }

  it("gives up in the middle of inflating when the room runs out there", async () => {
    const body = bomb(8 * 1024 * 1024);
    let asked = 0;
    const narrow: Lease = {
      grow: (bytes) => {
        asked += bytes;
        return asked > 3 * 1024 * 1024 ? { reason: "full", retryAfterSeconds: 5 } : null;
      },
      release: () => {},
    };
    const reading = await readBody(gzipped(body), 64 * 1024 * 1024, narrow);
    assert.equal(reading.kind, "refused");
  });

  it("a connection that breaks is aborted, not malformed", async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(10);
      throw new Error("aborted");
    }
    const reading = await readAll({ chunks: chunks(), declaredBytes: 20, codings: ["gzip"] });
    assert.deepEqual(reading, { kind: "aborted", wireBytes: 10 });
  });
});

describe("body: gzip", () => {
  const text = Buffer.from("some text, some text, some text");
  const one = gzipSync(text);
  const cases = [
    { name: "OTLP-12: one member", body: one, want: text },
    {
      name: "OTLP-14: several members, joined as gunzip joins them",
      body: Buffer.concat([one, one]),
      want: Buffer.concat([text, text]),
    },
    { name: "OTLP-14: an empty member", body: gzipSync(Buffer.alloc(0)), want: Buffer.alloc(0) },
    { name: "OTLP-13: not gzip at all", body: text, want: /not gzip/ },
    { name: "OTLP-13: no bytes", body: Buffer.alloc(0), want: /ends too early/ },
    { name: "OTLP-14: cut in its header", body: one.subarray(0, 5), want: /ends too early/ },
    { name: "OTLP-14: cut in its data", body: one.subarray(0, 15), want: /ends too early/ },
    { name: "OTLP-14: cut in its check sum", body: one.subarray(0, -2), want: /ends too early/ },
    { name: "OTLP-14: garbage behind", body: Buffer.concat([one, Buffer.from("xyz")]), want: /not gzip/ },
    { name: "OTLP-14: zeros behind", body: Buffer.concat([one, Buffer.alloc(3)]), want: /3 further bytes/ },
    {
      name: "OTLP-14: half a member behind",
      body: Buffer.concat([one, one.subarray(0, 8)]),
      want: /ends too early/,
    },
    { name: "OTLP-14: a wrong check sum", body: withFlippedByte(one, one.length - 6), want: /not gzip/ },
  ];
  for (const { name, body, want } of cases) {
    it(name, async () => {
      const reading = await readAll(gzipped(body));
      if (want instanceof RegExp)
        assert.match(reading.kind === "malformed" ? reading.message : reading.kind, want);
      else assert.deepEqual(wholeOf(reading), want);
    });
  }

  it("OTLP-14: takes no body that was cut, wherever", async () => {
    for (let cut = 0; cut < one.length; cut += 1) {
      assert.equal((await readAll(gzipped(one.subarray(0, cut)))).kind, "malformed", `cut at ${cut}`);
    }
  });

  it("reads what gunzip reads, however the body is split into members and chunks", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 400 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(fc.nat(200), { maxLength: 8 }), async (parts, cuts) => {
        const body = Buffer.concat(parts.map((part) => gzipSync(part)));
        async function* chunks(): AsyncGenerator<Uint8Array> {
          let from = 0;
          for (const length of cuts) {
            yield body.subarray(from, from + length);
            from += length;
          }
          yield body.subarray(from);
        }
        const reading = await readAll({ chunks: chunks(), declaredBytes: null, codings: ["gzip"] });
        assert.deepEqual(wholeOf(reading), Buffer.concat(parts));
        assert.equal(reading.wireBytes, body.length);
      }),
      { numRuns: 50 },
    );
  });

  it("answers any damage without a crash, and whatever it takes gunzip takes too", async () => {
    const damage = fc.record({ at: fc.nat(60), byte: fc.nat(255), behind: fc.uint8Array({ maxLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, byte, behind }) => {
        const body = Buffer.concat([one, behind]);
        body[at % body.length] = byte;
        const reading = await readAll(gzipped(body));
        if (reading.kind === "whole") assert.deepEqual(wholeOf(reading), gunzipSync(body));
        else assert.ok(reading.kind === "malformed" || reading.kind === "too_large", reading.kind);
      }),
      { numRuns: 200 },
    );
  });
});

describe("content codings", () => {
  for (const { names, want } of [
    { names: [], want: { codings: [] } },
    { names: ["gzip"], want: { codings: ["gzip"] } },
    { names: ["br"], want: { unknown: "br" } },
    { names: ["gzip", "zstd"], want: { unknown: "zstd" } },
    { names: ["gzip", "gzip"], want: { unknown: "gzip, gzip" } },
  ]) {
    it(`OTLP-15: [${names.join(", ")}] gives ${JSON.stringify(want)}`, () => {
      assert.deepEqual(knownCodings(names), want);
    });
  }
});

function withFlippedByte(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
