/**
 * Spans per CPU-second, from HTTP to verdict: gzip bodies of 500 spans, three in ten of them events, fifty rules,
 * one process. Beside it, from the same spans in the same run, two receivers that only decode. CPU time is user
 * and system of all threads of the receiver alone; who sends them is another process and costs nothing here.
 *
 * Receivers take turns within each round, and a first round is thrown away: what they share (a busy machine, a
 * cold compiler) falls out of the ratios.
 */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { unixNano } from "../src/model/time.ts";
import { encodeTraces } from "../src/otlp/encode-trace.ts";
import { send } from "./load.ts";
import type { Mode, Question, Reply } from "./receiver-process.ts";
import { ruleCount } from "./rules.ts";
import { type Spread, spread } from "./spread.ts";
import { agentRuns, eventsPerRun, spansPerRun, tools } from "./traffic.ts";

export interface EndToEnd {
  readonly spansARequest: number;
  readonly rules: number;
  readonly spans: number;
  /** Share of spans that are events. */
  readonly events: number;
  /** Mean sizes of a span, as sent and as decoded. */
  readonly bytes: { readonly gzip: number; readonly protobuf: number };
  readonly perCpuSecond: Readonly<Record<Mode, Spread>>;
  /** CPU time of the whole service as a multiple of that of the bare receivers, for the same spans. */
  readonly costOf: Readonly<Record<Exclude<Mode, "judge">, Spread>>;
  readonly judged: { readonly calls: number; readonly violations: number; readonly inconclusive: number };
}

const runsARequest = 10;
const modes: readonly Mode[] = ["judge", "decode", "json"];

export async function benchEndToEnd(size: {
  readonly rounds: number;
  readonly requests: number;
}): Promise<EndToEnd> {
  const receivers = new Map<Mode, Receiver>();
  for (const mode of modes) receivers.set(mode, await Receiver.start(mode));
  try {
    const seconds: Record<Mode, number>[] = [];
    let bytes = { gzip: 0, protobuf: 0 };
    for (let round = 0; round <= size.rounds; round += 1) {
      const traffic = makeTraffic(round, size.requests);
      bytes = traffic.bytes;
      const taken = { judge: 0, decode: 0, json: 0 };
      for (const [mode, receiver] of receivers) {
        taken[mode] = await receiver.take(mode === "json" ? traffic.json : traffic.protobuf, mode);
      }
      if (round > 0) seconds.push(taken);
    }
    const judge = await receivers.get("judge")?.ask("settle");
    const calls = (size.rounds + 1) * size.requests * runsARequest * tools.length;
    if (judge?.calls !== calls) throw new Error(`${judge?.calls} calls were judged, ${calls} were sent`);

    const spans = size.requests * runsARequest * spansPerRun;
    const rate = (mode: Mode): Spread => spread(seconds.map((taken) => spans / taken[mode]));
    const cost = (mode: Mode): Spread => spread(seconds.map((taken) => taken.judge / taken[mode]));
    return {
      spansARequest: runsARequest * spansPerRun,
      rules: ruleCount,
      spans: spans * size.rounds,
      events: eventsPerRun / spansPerRun,
      bytes: { gzip: bytes.gzip / spans, protobuf: bytes.protobuf / spans },
      perCpuSecond: { judge: rate("judge"), decode: rate("decode"), json: rate("json") },
      costOf: { decode: cost("decode"), json: cost("json") },
      judged: { calls, violations: judge.violations ?? 0, inconclusive: judge.inconclusive ?? 0 },
    };
  } finally {
    for (const receiver of receivers.values()) receiver.stop();
  }
}

interface Traffic {
  readonly protobuf: readonly Uint8Array[];
  readonly json: readonly Uint8Array[];
  readonly bytes: { readonly gzip: number; readonly protobuf: number };
}

/** Other runs each round: the same spans again would be duplicates, and judge nothing. */
function makeTraffic(round: number, requests: number): Traffic {
  const protobuf: Uint8Array[] = [];
  const json: Uint8Array[] = [];
  const bytes = { gzip: 0, protobuf: 0 };
  const until = unixNano(BigInt(Date.now()) * 1_000_000n);
  for (let index = 0; index < requests; index += 1) {
    const spans = agentRuns(runsARequest, round * requests + index + 1, until);
    const plain = encodeTraces("protobuf", spans);
    const packed = gzipSync(plain);
    bytes.protobuf += plain.byteLength;
    bytes.gzip += packed.byteLength;
    protobuf.push(packed);
    json.push(gzipSync(encodeTraces("json", spans)));
  }
  return { protobuf, json, bytes };
}

/** Longest that a receiver may take over one answer before the benchmark counts as failed. */
const answerMs = 120_000;

class Receiver {
  readonly #process: ChildProcess;
  readonly #port: number;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  static async start(mode: Mode): Promise<Receiver> {
    const child = fork(join(import.meta.dirname, "receiver-process.ts"), [mode]);
    const { port } = await answer(child);
    if (port === undefined) throw new Error(`the receiver "${mode}" named no port`);
    return new Receiver(child, port);
  }

  /** Seconds of CPU time for these bodies, up to the last verdict. */
  async take(bodies: readonly Uint8Array[], mode: Mode): Promise<number> {
    const contentType = mode === "json" ? "application/json" : "application/x-protobuf";
    const before = await this.ask("cpu");
    await send({ port: this.#port, bodies, contentType, connections: 4 });
    await this.ask("settle");
    const after = await this.ask("cpu");
    return ((after.microseconds ?? 0) - (before.microseconds ?? 0)) / 1e6;
  }

  ask(question: Question): Promise<Reply> {
    const answered = answer(this.#process);
    this.#process.send(question);
    return answered;
  }

  stop(): void {
    if (this.#process.connected) this.#process.send("stop" satisfies Question);
  }
}

function answer(child: ChildProcess): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit);
      settle();
    };
    const onMessage = (message: unknown): void => done(() => resolve(message as Reply));
    const onExit = (code: number | null): void =>
      done(() => reject(new Error(`a receiver exited with ${code}`)));
    const timer = setTimeout(() => done(() => reject(new Error("a receiver gave no answer"))), answerMs);
    child.on("message", onMessage).on("exit", onExit);
  });
}
