/**
 * The recorded runs: OTLP that unmodified frameworks exported, and what their tools themselves recorded of each
 * run (the truth). See data/ORIGIN.md for how they were made.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AttributePlan } from "../../src/model/attribute-plan.ts";
import type { Span } from "../../src/model/span.ts";
import type { Value, ValueObject } from "../../src/model/value.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";

export interface TruthCall {
  readonly tool: string;
  readonly call_id: string;
  readonly session: string;
  readonly args: ValueObject;
  readonly status: "ok" | "error" | "aborted";
  readonly result?: Value;
}

export interface Truth {
  readonly calls_in_start_order: readonly TruthCall[];
  readonly requested_but_never_executed: readonly { readonly call_id: string; readonly tool: string }[];
  readonly contract_auth_before_plan: readonly {
    readonly session: string;
    readonly plan_call_id: string;
    readonly verdict: "held" | "violated";
  }[];
  /** The `fast_*` runs: which orders the spans' stamps leave open. */
  readonly from_spans?: { readonly possible_orders: readonly string[] };
}

export interface RecordedRun {
  readonly framework: string;
  readonly scenario: string;
  /** `<framework>/<scenario>`. */
  readonly name: string;
  readonly truth: Truth;
  /** One request a line, in the order of arrival. */
  readonly json: string;
  /** The raw bodies of protobuf exporters, in the order of arrival; empty for JSON exporters. */
  readonly protobuf: readonly Uint8Array[];
}

const data = join(import.meta.dirname, "data");

export function recordedRuns(): readonly RecordedRun[] {
  const frameworks = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return frameworks
    .map((entry) => entry.name)
    .sort()
    .flatMap((framework) => {
      const files = readdirSync(join(data, framework));
      const scenarios = files.filter((file) => file.endsWith(".truth.json")).sort();
      return scenarios.map((file) => readRun(framework, file.slice(0, -".truth.json".length), files));
    });
}

function readRun(framework: string, scenario: string, files: readonly string[]): RecordedRun {
  const path = (file: string): string => join(data, framework, file);
  const bodies = files
    .filter((file) => file.startsWith(`${scenario}.`) && file.endsWith(".otlp.pb"))
    .map((file) => ({ file, place: Number(file.split(".").at(-3)) }))
    .sort((a, b) => a.place - b.place);
  return {
    framework,
    scenario,
    name: `${framework}/${scenario}`,
    truth: JSON.parse(readFileSync(path(`${scenario}.truth.json`), "utf8")),
    json: readFileSync(path(`${scenario}.otlp.json`), "utf8").trim(),
    protobuf: bodies.map(({ file }) => readFileSync(path(file))),
  };
}

/** The spans of every request, in the order of arrival. */
export function jsonRequests(run: RecordedRun, plan: AttributePlan): readonly (readonly Span[])[] {
  const encoder = new TextEncoder();
  return run.json
    .split("\n")
    .map((line) => decodeTracesJson(encoder.encode(line), plan, defaultDecodeLimits).spans);
}

export function protobufRequests(run: RecordedRun, plan: AttributePlan): readonly (readonly Span[])[] {
  return run.protobuf.map((body) => decodeTracesProtobuf(body, plan, defaultDecodeLimits).spans);
}
