/**
 * Log streams of coding agents, written by hand after what their sources and documentation say they send
 * (src/processor/normalize/logs names them), each with the truth beside it: OTLP JSON, one request a line, as the
 * Collector's file exporter writes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { everything } from "../../src/model/attribute-plan.ts";
import type { LogRecord } from "../../src/model/log-record.ts";
import { decodeLogsJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { encodeLogs } from "../otlp/log-messages.ts";

export interface StoryTruth {
  readonly run: string;
  /** By start. */
  readonly calls: readonly {
    readonly tool: string;
    readonly call_id: string | null;
    readonly status: string;
    /** Nanoseconds since 1970. */
    readonly start: string;
    readonly end: string;
  }[];
  readonly approvals: readonly {
    readonly tool: string;
    readonly call_id: string | null;
    readonly at: string;
  }[];
  /** One for each prompt: its turn, where the agent names turns. */
  readonly user_turns: readonly string[];
  readonly model_turns: number;
  /** Rule of `contract.yaml` → verdict. */
  readonly verdicts: Readonly<Record<string, string>>;
}

export interface Story {
  readonly name: string;
  readonly file: string;
  readonly truth: StoryTruth;
  /** The requests as JSON, in the order in which they were sent. */
  readonly json: readonly string[];
  /** The same in protobuf, as protobufjs writes them. */
  readonly protobuf: readonly Uint8Array[];
  readonly records: readonly LogRecord[];
}

const data = join(import.meta.dirname, "data");

export const contractSource = {
  file: "test/logs/contract.yaml",
  text: readFileSync(join(import.meta.dirname, "contract.yaml"), "utf8"),
};

export function stories(): readonly Story[] {
  return readdirSync(data)
    .filter((file) => file.endsWith(".otlp.jsonl"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".otlp.jsonl".length);
      const json = readFileSync(join(data, file), "utf8").trim().split("\n");
      return {
        name,
        file: join(data, file),
        truth: JSON.parse(readFileSync(join(data, `${name}.truth.json`), "utf8")),
        json,
        protobuf: json.map((line) => encodeLogs(JSON.parse(line))),
        records: json.flatMap(
          (line) => decodeLogsJson(Buffer.from(line), everything, defaultDecodeLimits).records,
        ),
      };
    });
}
