/**
 * Reads recorded traces, whatever wrote them: OTLP JSON of spans or log records (one request, or one a line, as the
 * Collector's file exporter writes), an OTLP protobuf request, or a plain event list. The content decides, never the
 * name.
 */
import { gunzipSync } from "node:zlib";
import { everything } from "../model/attribute-plan.ts";
import type { LogRecord } from "../model/log-record.ts";
import type { Rejection, Span } from "../model/span.ts";
import { isArray, isObject, member, type Value } from "../model/value.ts";
import { DecodeError } from "../otlp/decode-error.ts";
import { decodeLogsJson, decodeTracesJson } from "../otlp/decode-json.ts";
import { defaultDecodeLimits } from "../otlp/decode-limits.ts";
import { decodeLogsProtobuf, decodeTracesProtobuf } from "../otlp/decode-protobuf.ts";
import { signalInProtobuf } from "../otlp/protobuf-signal.ts";
import type { PlainEvent } from "../processor/normalize/dialects/plain.ts";
import { InputError } from "./input-error.ts";
import { jsonElements } from "./json-elements.ts";
import { type PlainElement, readPlainList } from "./plain-list.ts";

export interface TraceFile {
  /** As the user gave it; `-` for standard input. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface LoadedTraces {
  readonly file: string;
  readonly spans: readonly Span[];
  /** Log records; not all of them need be events. */
  readonly records: readonly LogRecord[];
  readonly events: readonly PlainEvent[];
  /** False for a plain list in which positions stand in for times. */
  readonly timed: boolean;
  /** Spans and log records that were refused alone, in words. */
  readonly refused: readonly string[];
}

/** Decompressed bytes of one file. Far above any recorded run; below what a string of Node can hold. */
const maxFileBytes = 400 * 1024 * 1024;

const otlpAdvice =
  "Give OTLP JSON (one request, or one a line), an OTLP protobuf request, or a list of events.";

/**
 * @param runName what a plain list's run is called when its events do not say; of all files that are judged
 *   together, each needs its own.
 */
export function readTraces(file: TraceFile, runName: string): LoadedTraces {
  const bytes = unzipped(file);
  const start = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  if (start === -1) throw new InputError(file.name, "the file is empty", otlpAdvice);
  const first = bytes[start];
  if (first === 0x7b || first === 0x5b || first === 0xef) return readText(file.name, runName, bytes);
  if (bytes[0] === 0x0a) return decoded(file.name, [decodeProtobuf(file.name, bytes)]);
  throw new InputError(file.name, "this is neither JSON nor an OTLP protobuf request", otlpAdvice);
}

/** Positions in two lists say nothing about each other: a run that lies in both needs times. */
export function refuseUntimedParts(traces: readonly LoadedTraces[]): void {
  const untimed = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const { file, events, timed } of traces) {
    for (const run of new Set(events.map((event) => event.run))) {
      const other = timed ? untimed.get(run) : (untimed.get(run) ?? seen.get(run));
      if (other !== undefined) {
        throw new InputError(
          file,
          `the run "${run}" is in ${other} too, and one of the lists has no times: how they follow each other cannot be told`,
          "Give the events times, or write the run in one list.",
        );
      }
      seen.set(run, file);
      if (!timed) untimed.set(run, file);
    }
  }
}

function unzipped({ name, bytes }: TraceFile): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxFileBytes });
  } catch {
    throw new InputError(name, "the file is gzip and cannot be unpacked", "Check that it was copied whole.");
  }
}

function readText(file: string, runName: string, bytes: Uint8Array): LoadedTraces {
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
  const whole = parse(text);
  if (whole.ok) return readDocument(file, runName, text, whole.value);
  const lines = text.split("\n");
  const one = lines.findIndex((line) => line.trim() !== "");
  const firstLine = parse(lines[one] ?? "");
  // A document over several lines breaks in its first line already: then its own error is the one to show.
  if (!firstLine.ok) {
    if (bytes[0] === 0x0a) return decoded(file, [decodeProtobuf(file, bytes)]);
    throw notJson(file, text, whole.message);
  }
  return readLines(file, runName, lines);
}

function readDocument(file: string, runName: string, text: string, value: Value): LoadedTraces {
  if (isArray(value)) {
    const elements = jsonElements(text, value);
    if (value.length === 0 || !value.every(isRequest)) return plain(file, runName, elements);
    return decoded(
      file,
      elements.map(({ text, value, line }) => decodeJson(`${file}:${line}`, text, value)),
    );
  }
  if (isRequest(value)) return decoded(file, [decodeJson(file, text, value)]);
  const events = member(value, "events");
  if (isArray(events))
    return plain(
      file,
      runName,
      jsonElements(text, events, listStart(text)),
      textOf(member(value, "run")) ?? runName,
    );
  if (isPlainEvent(value)) return plain(file, runName, [{ value, line: 1 }]);
  throw unknownShape(file, value);
}

/** Where the list of `{"events": [...]}` begins. */
function listStart(text: string): number {
  const key = /"events"\s*:\s*\[/.exec(text);
  return key === null ? 0 : key.index + key[0].length - 1;
}

function readLines(file: string, runName: string, lines: readonly string[]): LoadedTraces {
  const requests: Request[] = [];
  const elements: PlainElement[] = [];
  lines.forEach((text, index) => {
    if (text.trim() === "") return;
    const line = index + 1;
    const parsed = parse(text);
    if (!parsed.ok) {
      const why = `this line is not JSON: ${cause(parsed.message)}`;
      throw new InputError(`${file}:${line}`, why, "Each line must be one whole request or one event.");
    }
    if (isRequest(parsed.value)) requests.push(decodeJson(`${file}:${line}`, text, parsed.value));
    else if (isPlainEvent(parsed.value)) elements.push({ value: parsed.value, line });
    else throw unknownShape(`${file}:${line}`, parsed.value);
  });
  if (requests.length > 0 && elements.length > 0) {
    throw new InputError(file, "OTLP requests and plain events are mixed", "Put them in files of their own.");
  }
  return requests.length > 0 ? decoded(file, requests) : plain(file, runName, elements);
}

function decodeProtobuf(place: string, bytes: Uint8Array): Request {
  return decode(place, bytes, "protobuf", signalInProtobuf(bytes));
}

function decodeJson(place: string, text: string, value: Value): Request {
  return decode(place, new TextEncoder().encode(text), "json", isLogs(value) ? "logs" : "traces");
}

function isRequest(value: Value): boolean {
  return isLogs(value) || isOf(value, "resourceSpans", "resource_spans");
}

function isLogs(value: Value): boolean {
  return isOf(value, "resourceLogs", "resource_logs");
}

function isOf(value: Value, camel: string, snake: string): boolean {
  return member(value, camel) !== undefined || member(value, snake) !== undefined;
}

function isPlainEvent(value: Value): boolean {
  return isObject(value) && ["type", "kind", "name"].some((key) => Object.hasOwn(value, key));
}

function plain(
  file: string,
  runName: string,
  elements: readonly PlainElement[],
  run: string = runName,
): LoadedTraces {
  const { events, timed } = readPlainList(file, run, elements, runName);
  return { file, spans: [], records: [], events, timed, refused: [] };
}

/** What one request held: spans, or log records. */
interface Request {
  readonly spans: readonly Span[];
  readonly records: readonly LogRecord[];
  readonly rejections: readonly Rejection[];
}

function decoded(file: string, requests: readonly Request[]): LoadedTraces {
  return {
    file,
    spans: requests.flatMap((request) => request.spans),
    records: requests.flatMap((request) => request.records),
    events: [],
    timed: true,
    refused: requests.flatMap((request) =>
      request.rejections.map(
        ({ count, message }) =>
          `${count} ${request.spans === noItems ? "log record" : "span"}(s) refused: ${message}`,
      ),
    ),
  };
}

function decode(
  place: string,
  bytes: Uint8Array,
  encoding: "json" | "protobuf",
  signal: "traces" | "logs" | null,
): Request {
  try {
    return signal === "logs" ? decodeLogs(bytes, encoding) : decodeSpans(bytes, encoding);
  } catch (error) {
    if (error instanceof DecodeError) throw new InputError(place, error.message, otlpAdvice);
    throw error;
  }
}

const noItems: readonly never[] = [];

function decodeSpans(bytes: Uint8Array, encoding: "json" | "protobuf"): Request {
  const read = encoding === "json" ? decodeTracesJson : decodeTracesProtobuf;
  return { ...read(bytes, everything, defaultDecodeLimits), records: noItems };
}

function decodeLogs(bytes: Uint8Array, encoding: "json" | "protobuf"): Request {
  const read = encoding === "json" ? decodeLogsJson : decodeLogsProtobuf;
  return { ...read(bytes, everything, defaultDecodeLimits), spans: noItems };
}

function unknownShape(place: string, value: Value): InputError {
  if (isArray(member(value, "data"))) {
    return new InputError(
      place,
      "this looks like Jaeger's JSON, which this version does not read",
      "Export the trace as OTLP JSON instead.",
    );
  }
  if (member(value, "resourceMetrics") !== undefined) {
    return new InputError(
      place,
      "this is an OTLP request of another signal",
      "Traces and log records are judged: give the file with `resourceSpans` or `resourceLogs`.",
    );
  }
  return new InputError(place, "this JSON is neither an OTLP request nor an event", otlpAdvice);
}

type Parsed = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as Value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function notJson(file: string, text: string, message: string): InputError {
  const offset = /at position (\d+)/.exec(message)?.[1];
  const ended = /end of JSON input|Unterminated/.test(message);
  const line =
    offset === undefined ? (ended ? lineAt(text, text.length) : null) : lineAt(text, Number(offset));
  return new InputError(
    line === null ? file : `${file}:${line}`,
    `this is not JSON: ${cause(message)}`,
    "Check that the file was written whole, and that no comma or bracket is missing.",
  );
}

/** The parser's own words, without the piece of the file that it quotes. */
function cause(message: string): string {
  return message.replace(/, "[\s\S]*$/, "").replace(/, \.{3}"[\s\S]*$/, "");
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function textOf(value: Value | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
