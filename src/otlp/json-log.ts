import { type AttributePlan, type KeySelection, wants } from "../model/attribute-plan.ts";
import type { LogRecord } from "../model/log-record.ts";
import type { Resource, Scope } from "../model/span.ts";
import { isJsonObject, type JsonFields, type JsonObject } from "./json-fields.ts";
import { JsonIds, spanFaults, traceFaults } from "./json-ids.ts";
import type { JsonItemReader } from "./json-request.ts";
import type { JsonValues } from "./json-value.ts";
import { traceFlags, wholeSelection } from "./span-defaults.ts";

/** Reads one OTLP `LogRecord` of a parsed request; one that is no event is checked, and its values are not kept. */
export class JsonLogReader implements JsonItemReader<LogRecord> {
  readonly #marks: KeySelection | undefined;
  readonly #fields: JsonFields;
  readonly #values: JsonValues;
  readonly #ids: JsonIds;

  constructor(fields: JsonFields, values: JsonValues, plan: AttributePlan) {
    this.#marks = plan.log;
    this.#fields = fields;
    this.#values = values;
    this.#ids = new JsonIds(fields);
  }

  read(record: JsonObject, resource: Resource, scope: Scope): LogRecord | null {
    const fields = this.#fields;
    const values = this.#values;
    const traceId = this.#ids.traceId(record, "traceId", traceFaults, false);
    const spanId = this.#ids.spanId(record, "spanId", "span_id", spanFaults, false);
    const time = fields.time(record, "timeUnixNano", "time_unix_nano");
    const observedTime = fields.time(record, "observedTimeUnixNano", "observed_time_unix_nano");
    const severity = fields.enumeration(record, "severityNumber", severities, "severity_number");
    const severityText = fields.text(record, "severityText", "severity_text");
    const dropped = fields.count(record, "droppedAttributesCount", "dropped_attributes_count");
    const flags = fields.count(record, "flags", "flags") & traceFlags;
    const eventName = fields.text(record, "eventName", "event_name");
    const wanted = eventName !== "" || this.#isMarked(record);
    const attributes = values.attributes(record, wanted ? wholeSelection : nothing, "attributes");
    const lost = values.takeDropped();
    const body = values.body(record.body, "body", wanted);
    if (!wanted) return null;
    return {
      time,
      observedTime,
      severity,
      severityText,
      body,
      attributes,
      droppedAttributes: dropped + lost,
      flags,
      traceId,
      spanId,
      eventName,
      resource,
      scope,
    };
  }

  #isMarked(record: JsonObject): boolean {
    const marks = this.#marks;
    if (marks === undefined) return true;
    const list = record.attributes;
    if (!Array.isArray(list)) return false;
    return list.some(
      (pair: unknown) => isJsonObject(pair) && typeof pair.key === "string" && wants(marks, pair.key),
    );
  }
}

const nothing: KeySelection = { exact: new Set(), prefixes: [] };

/** `SeverityNumber`: four steps each of these. */
const severities: ReadonlyMap<string, number> = new Map(
  ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap((level, place) =>
    ["", "2", "3", "4"].map((step, index): [string, number] => [
      `SEVERITY_NUMBER_${level}${step}`,
      place * 4 + index + 1,
    ]),
  ),
);
