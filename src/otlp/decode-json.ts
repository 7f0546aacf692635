/**
 * ExportTraceServiceRequest and ExportLogsServiceRequest in OTLP/JSON → spans and log records.
 *
 * The body is parsed by `JSON.parse`, which copes with any depth; from its objects only known keys are read,
 * and of attributes only those that the plan names.
 *
 * Promises
 *   - A body that is no JSON, or whose upper levels are not what they must be, throws `DecodeError` with place,
 *     cause and cure; nothing else is thrown.
 *   - What is built of a body is bounded before it is (`json-tokens.ts`), known keys or not.
 *   - A span with unusable ids or values is refused alone, and counted with what is wrong and how to cure it.
 *   - Integers are exact to the last digit, as text and as numbers.
 *   - snake_case keys and names of enums are accepted and counted; unknown keys are ignored at every level;
 *     null is the same as absent, also as an element of a list of spans or attributes. An empty body is an
 *     empty request, as it is in protobuf.
 *   - A byte order mark is passed over. Bytes that are not UTF-8 (counted once a body) and lone surrogates
 *     (counted once a text) become U+FFFD. NUL is a character like any other where JSON allows it: escaped.
 *
 * Source: the JSON section of the OTLP specification, and the JSON mapping of proto3.
 */
import { isUtf8 } from "node:buffer";
import type { AttributePlan } from "../model/attribute-plan.ts";
import type { DecodedLogs } from "../model/log-record.ts";
import type { DecodedTraces } from "../model/span.ts";
import { DecodeError } from "./decode-error.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { mayHoldLongInteger, quoteLongIntegers } from "./exact-integers.ts";
import { Findings } from "./findings.ts";
import { findJsonFault } from "./json-fault.ts";
import { JsonLogReader } from "./json-log.ts";
import { JsonRequest } from "./json-request.ts";
import { JsonSpanReader } from "./json-span.ts";
import { holdsMoreTokens, maxJsonTokens } from "./json-tokens.ts";
import { type JsonSignalNames, logsInJson, tracesInJson } from "./signal-names.ts";

export function decodeTracesJson(body: Uint8Array, plan: AttributePlan, limits: DecodeLimits): DecodedTraces {
  const findings = new Findings();
  const request = new JsonRequest(
    findings,
    limits,
    tracesInJson,
    (fields, values) => new JsonSpanReader(fields, values, plan),
  );
  const spans = body.length === 0 ? [] : request.request(parseBody(body, findings, tracesInJson));
  return { spans, rejections: findings.rejections, flaws: findings.flaws };
}

/** The same for an ExportLogsServiceRequest; a record that is no event is passed over and counted. */
export function decodeLogsJson(body: Uint8Array, plan: AttributePlan, limits: DecodeLimits): DecodedLogs {
  const findings = new Findings();
  const request = new JsonRequest(
    findings,
    limits,
    logsInJson,
    (fields, values) => new JsonLogReader(fields, values, plan),
  );
  const records = body.length === 0 ? [] : request.request(parseBody(body, findings, logsInJson));
  const { passedOver } = request;
  return { records, passedOver, rejections: findings.rejections, flaws: findings.flaws };
}

function parseBody(body: Uint8Array, findings: Findings, names: JsonSignalNames): unknown {
  if (holdsMoreTokens(body, maxJsonTokens)) {
    throw new DecodeError(
      `JSON body: it holds more than ${maxJsonTokens} objects, arrays, members and elements. Send fewer ${names.items} a request`,
    );
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const decoded = bytes.toString("utf8");
  if (decoded.includes("\ufffd") && !isUtf8(bytes)) findings.flaw("invalid_utf8");
  const text = decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  try {
    return JSON.parse(mayHoldLongInteger(body) ? quoteLongIntegers(text) : text);
  } catch {
    const { offset, problem } = findJsonFault(text);
    throw new DecodeError(
      `JSON body, character ${offset}: ${problem}. Send one whole ${names.message} as JSON in UTF-8`,
      offset,
    );
  }
}
