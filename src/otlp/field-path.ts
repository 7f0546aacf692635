import { WireReader } from "./wire-reader.ts";

/**
 * Names the field at a byte of a request, such as
 * `resource_spans[0].scope_spans[1].spans[3].attributes[2].value`.
 *
 * It walks the body again from its start, so that decoding keeps no path on the way: only a body that failed
 * pays. Source of names and numbers: opentelemetry/proto/{collector/trace,collector/logs,trace,logs,resource,common}/v1.
 */
export function fieldPath(body: Uint8Array, offset: number, message: MessageShape = tracesShape): string {
  const reader = new WireReader(body);
  let shape: MessageShape | undefined = message;
  let path = "";
  let end = body.length;
  while (shape !== undefined) {
    const found: Found | null = findField(reader, shape, end, offset);
    if (found === null) break;
    path = path === "" ? found.name : `${path}.${found.name}`;
    shape = found.shape;
    end = found.end;
  }
  return path;
}

interface Found {
  readonly name: string;
  readonly shape: MessageShape | undefined;
  readonly end: number;
}

/** The field of this message that covers the offset; leaves the reader at the start of its payload. */
function findField(reader: WireReader, shape: MessageShape, end: number, offset: number): Found | null {
  const counts = new Map<number, number>();
  try {
    while (reader.position < end) {
      if (offset < reader.position) return null;
      const tag = reader.tag(end);
      const number = tag >>> 3;
      const field = shape[number];
      const index = counts.get(number) ?? 0;
      counts.set(number, index + 1);
      const name =
        field === undefined ? `field ${number}` : field.repeated ? `${field.name}[${index}]` : field.name;
      const whole = { name, shape: undefined, end };
      try {
        const start = reader.position;
        const nested = (tag & 7) === 2 ? field?.shape?.() : undefined;
        if (nested !== undefined) {
          const stop = reader.payload(end);
          if (offset < reader.position) return whole;
          if (offset < stop) return { name, shape: nested, end: stop };
          reader.position = stop;
          // A message that ends inside a varint fails at its own border.
          if (offset === stop && stop === end) return { name, shape: undefined, end };
          continue;
        }
        reader.skip(tag, end);
        if (offset >= start - 1 && offset < reader.position) return whole;
      } catch {
        return whole;
      }
    }
  } catch {
    return null;
  }
  return null;
}

interface Field {
  readonly name: string;
  readonly repeated?: true;
  /** A function, since messages refer to each other in a circle. */
  readonly shape?: () => MessageShape;
}

/** The fields of one message by number. */
export type MessageShape = { readonly [number: number]: Field };

const anyValue: MessageShape = {
  1: { name: "string_value" },
  2: { name: "bool_value" },
  3: { name: "int_value" },
  4: { name: "double_value" },
  5: { name: "array_value", shape: () => ({ 1: { name: "values", repeated: true, shape: () => anyValue } }) },
  6: {
    name: "kvlist_value",
    shape: () => ({ 1: { name: "values", repeated: true, shape: () => keyValue } }),
  },
  7: { name: "bytes_value" },
  8: { name: "string_value_strindex" },
};
const keyValue: MessageShape = {
  1: { name: "key" },
  2: { name: "value", shape: () => anyValue },
  3: { name: "key_strindex" },
};
const attributes: Field = { name: "attributes", repeated: true, shape: () => keyValue };
const dropped: Field = { name: "dropped_attributes_count" };
const span: MessageShape = {
  1: { name: "trace_id" },
  2: { name: "span_id" },
  3: { name: "trace_state" },
  4: { name: "parent_span_id" },
  5: { name: "name" },
  6: { name: "kind" },
  7: { name: "start_time_unix_nano" },
  8: { name: "end_time_unix_nano" },
  9: attributes,
  10: dropped,
  11: {
    name: "events",
    repeated: true,
    shape: () => ({ 1: { name: "time_unix_nano" }, 2: { name: "name" }, 3: attributes, 4: dropped }),
  },
  12: { name: "dropped_events_count" },
  13: {
    name: "links",
    repeated: true,
    shape: () => ({
      1: { name: "trace_id" },
      2: { name: "span_id" },
      3: { name: "trace_state" },
      4: attributes,
      5: dropped,
      6: { name: "flags" },
    }),
  },
  14: { name: "dropped_links_count" },
  15: { name: "status", shape: () => ({ 2: { name: "message" }, 3: { name: "code" } }) },
  16: { name: "flags" },
};
const scopeOf: Field = {
  name: "scope",
  shape: () => ({ 1: { name: "name" }, 2: { name: "version" }, 3: attributes, 4: dropped }),
};
const scopeSpans: MessageShape = {
  1: scopeOf,
  2: { name: "spans", repeated: true, shape: () => span },
  3: { name: "schema_url" },
};
const resource: Field = { name: "resource", shape: () => ({ 1: attributes, 2: dropped }) };
const resourceSpans: MessageShape = {
  1: resource,
  2: { name: "scope_spans", repeated: true, shape: () => scopeSpans },
  3: { name: "schema_url" },
};
const logRecord: MessageShape = {
  1: { name: "time_unix_nano" },
  2: { name: "severity_number" },
  3: { name: "severity_text" },
  5: { name: "body", shape: () => anyValue },
  6: attributes,
  7: dropped,
  8: { name: "flags" },
  9: { name: "trace_id" },
  10: { name: "span_id" },
  11: { name: "observed_time_unix_nano" },
  12: { name: "event_name" },
};
const scopeLogs: MessageShape = {
  1: scopeOf,
  2: { name: "log_records", repeated: true, shape: () => logRecord },
  3: { name: "schema_url" },
};
const resourceLogs: MessageShape = {
  1: resource,
  2: { name: "scope_logs", repeated: true, shape: () => scopeLogs },
  3: { name: "schema_url" },
};
export const tracesShape: MessageShape = {
  1: { name: "resource_spans", repeated: true, shape: () => resourceSpans },
};
export const logsShape: MessageShape = {
  1: { name: "resource_logs", repeated: true, shape: () => resourceLogs },
};
