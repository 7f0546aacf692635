import { WireError, WireReader } from "./wire-reader.ts";

/**
 * Whether a protobuf request holds spans or log records: their upper levels are the same, field for field, and no byte
 * names the message. The first item tells: a span has its trace id, of bytes, where a log record has its time, of eight
 * bytes. Null for a request without items, and for bytes that are no request.
 */
export function signalInProtobuf(body: Uint8Array): "traces" | "logs" | null {
  const reader = new WireReader(body);
  try {
    return inItems(reader, body.length, 0);
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

/** Field that leads one level down: `resource_spans` = 1, `scope_spans` = 2, `spans` = 2; the same for logs. */
const wayDown = [1, 2, 2] as const;

function inItems(reader: WireReader, end: number, level: number): "traces" | "logs" | null {
  const next = wayDown[level];
  if (next === undefined) return itemIs(reader, end);
  while (reader.position < end) {
    const tag = reader.tag(end);
    if (tag !== ((next << 3) | 2)) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.payload(end);
    const found = inItems(reader, stop, level + 1);
    if (found !== null) return found;
    reader.position = stop;
  }
  return null;
}

/** Fields that only one of the two has, by number and wire type. */
const ofSpans = new Set([(1 << 3) | 2, (2 << 3) | 2, (4 << 3) | 2, (7 << 3) | 1, (8 << 3) | 1]);
const ofLogs = new Set([(1 << 3) | 1, (2 << 3) | 0, (6 << 3) | 2, (8 << 3) | 5, (11 << 3) | 1]);

function itemIs(reader: WireReader, end: number): "traces" | "logs" | null {
  while (reader.position < end) {
    const tag = reader.tag(end);
    if (ofSpans.has(tag)) return "traces";
    if (ofLogs.has(tag)) return "logs";
    reader.skip(tag, end);
  }
  return null;
}
