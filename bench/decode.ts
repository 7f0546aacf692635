/**
 * Decoding, as ratios within one run: our protobuf reader against protobufjs, which decodes the same bytes whole,
 * and our JSON reader against a bare `JSON.parse` of the same body. The two of a pair take turns in every round,
 * so that a busy machine slows both. Runs alone as well: `node bench/decode.ts`.
 */

import { decodeTracesJson } from "../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../src/otlp/decode-protobuf.ts";
import { encodeTraces } from "../src/otlp/encode-trace.ts";
import { requestType } from "../test/otlp/trace-schema.ts";
import { batchSize, decodeBatch, plan } from "./decode-batch.ts";
import { asCount, asRatio, type Spread, spread } from "./spread.ts";

export interface BenchRow {
  readonly name: string;
  /** Above 1: so many times as fast as what it is compared with. */
  readonly ratio: Spread;
  /** Time a span, in nanoseconds: ours, and what it is compared with. */
  readonly ours: Spread;
  readonly theirs: Spread;
}

export async function benchDecode(rounds = 9): Promise<BenchRow[]> {
  const spans = decodeBatch();
  const protobuf = encodeTraces("protobuf", spans);
  const json = encodeTraces("json", spans);
  const text = Buffer.from(json);
  const decoded = decodeTracesProtobuf(protobuf, plan, defaultDecodeLimits);
  if (decoded.spans.length !== batchSize) throw new Error("the batch does not decode");
  return [
    compare(
      `protobuf, ${batchSize} spans of ${Math.round(protobuf.length / batchSize)} bytes, against protobufjs`,
      () => decodeTracesProtobuf(protobuf, plan, defaultDecodeLimits).spans.length,
      () => Object.keys(requestType.decode(protobuf)).length,
      rounds,
    ),
    compare(
      `JSON, the same spans (${Math.round(json.length / batchSize)} bytes each), against JSON.parse`,
      () => decodeTracesJson(json, plan, defaultDecodeLimits).spans.length,
      () => Object.keys(JSON.parse(text.toString("utf8"))).length,
      rounds,
    ),
  ];
}

/** Long enough that a pause of the collector is a small part of it. */
const roundNanos = 200_000_000n;

function compare(name: string, ours: () => number, theirs: () => number, rounds: number): BenchRow {
  // Both are compiled before anything counts.
  measure(ours);
  measure(theirs);
  const pairs = Array.from({ length: rounds }, () => ({ ours: measure(ours), theirs: measure(theirs) }));
  return {
    name,
    ratio: spread(pairs.map((pair) => pair.theirs / pair.ours)),
    ours: spread(pairs.map((pair) => pair.ours)),
    theirs: spread(pairs.map((pair) => pair.theirs)),
  };
}

/** CPU time a span in nanoseconds: on a shared machine the wall clock also counts what others do. */
function measure(decode: () => number): number {
  let batches = 0;
  let checked = 0;
  const began = process.cpuUsage();
  const until = process.hrtime.bigint() + roundNanos;
  do {
    for (let i = 0; i < 5; i += 1) checked += decode();
    batches += 5;
  } while (process.hrtime.bigint() < until);
  if (checked === 0) throw new Error("nothing was decoded");
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1_000) / (batches * batchSize);
}

if (import.meta.main) {
  for (const row of await benchDecode()) {
    process.stdout.write(
      `${row.name}: ${asRatio(row.ratio)}\n  ${asCount(row.ours)} ns a span, against ${asCount(row.theirs)}\n`,
    );
  }
}
