/** The mappings of the configuration that are about log records. */
import type { LogRecord } from "../../../model/log-record.ts";
import type { Mapping } from "../../../model/settings.ts";
import { readPath, type Value } from "../../../model/value.ts";
import { type NameTest, nameTest } from "../name-test.ts";
import { decodeBounded, isPresent, textOf } from "../values.ts";
import { type LogReading, lastedMilliseconds, plainReading } from "./log-dialect.ts";

export interface LogMapper {
  /** What the first mapping that the record meets makes of it; null when it meets none. */
  read(event: string, record: LogRecord): LogReading | null;
  /** Attributes by which mappings tell their records. */
  readonly keys: readonly string[];
  /** A mapping tells its records neither by attribute nor by event name: any log line may be meant. */
  readonly any: boolean;
}

interface Compiled {
  readonly mapping: Mapping;
  readonly event: NameTest | null;
  readonly body: NameTest | null;
  readonly scope: NameTest | null;
}

export function createLogMapper(
  mappings: readonly Mapping[],
  onMapped: (mapping: string) => void,
): LogMapper {
  const test = (written: string | undefined): NameTest | null =>
    written === undefined ? null : nameTest(written);
  const compiled = mappings
    .filter(({ on }) => on === "log")
    .map((mapping): Compiled => {
      const { event, body, scope } = mapping.when;
      return { mapping, event: test(event), body: test(body), scope: test(scope) };
    });
  return {
    read: (event, record) => {
      const found = compiled.find((candidate) => meets(candidate, event, record));
      if (found === undefined) return null;
      onMapped(found.mapping.name);
      return readingOf(found.mapping, record);
    },
    keys: compiled.flatMap(({ mapping }) => [...(mapping.when.attributes?.keys() ?? [])]),
    any: compiled.some(({ mapping: { when }, event }) => {
      const attributes = [...(when.attributes?.keys() ?? [])];
      return event === null && attributes.every((key) => key === "body" || key.startsWith("body."));
    }),
  };
}

function meets({ mapping, event, body, scope }: Compiled, name: string, record: LogRecord): boolean {
  if (event !== null && !event(name)) return false;
  if (body !== null && !(typeof record.body === "string" && body(record.body))) return false;
  if (scope !== null && !scope(record.scope.name)) return false;
  for (const [key, wanted] of mapping.when.attributes ?? []) {
    const value = valueAt(record, key);
    if (!isPresent(value)) return false;
    if (wanted !== "*" && textOf(value) !== wanted && String(value) !== wanted) return false;
  }
  return true;
}

/** `duration_ms` is no field of an event: it says how long before the record what it tells of began. */
function readingOf(mapping: Mapping, record: LogRecord): LogReading {
  const fields = new Map<string, Value>();
  let lasted: bigint | null = null;
  for (const [field, key] of mapping.fields) {
    const value = valueAt(record, key);
    if (!isPresent(value)) continue;
    if (field === "duration_ms") lasted = lastedMilliseconds(value);
    else fields.set(field, decodeBounded(value).value);
  }
  return { ...plainReading, kind: mapping.kind, fields, lasted };
}

/** An attribute, else the body or what stands in it. */
function valueAt({ attributes, body }: LogRecord, key: string): Value | undefined {
  const own = attributes.get(key);
  if (own !== undefined || (key !== "body" && !key.startsWith("body."))) return own;
  if (key === "body") return body;
  return readPath(decodeBounded(body).value, key.slice("body.".length).split("."));
}
