import type { Attributes, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { isArray, type Value } from "../model/value.ts";
import type { ResourceGroup } from "./encode-trace.ts";
import { isWrittenAsInteger } from "./integer-form.ts";
import { WireWriter } from "./wire-writer.ts";

export function encodeTraceProtobuf(groups: readonly ResourceGroup[]): Uint8Array {
  const writer = new WireWriter();
  for (const { resource, scopes } of groups) {
    writer.message(1, () => {
      writer.message(1, () => {
        writeAttributes(writer, 1, resource.attributes);
        writer.int32(2, resource.droppedAttributes);
      });
      for (const { scope, spans } of scopes) {
        writer.message(2, () => {
          writer.message(1, () => {
            writer.text(1, scope.name);
            writer.text(2, scope.version);
            writeAttributes(writer, 3, scope.attributes);
          });
          for (const span of spans) writer.message(2, () => writeSpan(writer, span));
        });
      }
    });
  }
  return writer.finish();
}

function writeSpan(writer: WireWriter, span: Span): void {
  writer.hex(1, span.traceId);
  writer.hex(2, span.spanId);
  writer.text(3, span.traceState);
  writer.hex(4, span.parentSpanId);
  writer.text(5, span.name);
  writer.int32(6, span.kind);
  writer.fixed64(7, span.start);
  writer.fixed64(8, span.end);
  writeAttributes(writer, 9, span.attributes);
  writer.int32(10, span.droppedAttributes);
  for (const event of span.events) writer.message(11, () => writeEvent(writer, event));
  writer.int32(12, span.droppedEvents);
  for (const link of span.links) writer.message(13, () => writeLink(writer, link));
  writer.int32(14, span.droppedLinks);
  if (span.statusCode !== 0 || span.statusMessage !== "") {
    writer.message(15, () => {
      writer.text(2, span.statusMessage);
      writer.int32(3, span.statusCode);
    });
  }
  writer.fixed32(16, span.flags);
}

function writeEvent(writer: WireWriter, event: SpanEvent): void {
  writer.fixed64(1, event.time);
  writer.text(2, event.name);
  writeAttributes(writer, 3, event.attributes);
  writer.int32(4, event.droppedAttributes);
}

function writeLink(writer: WireWriter, link: SpanLink): void {
  writer.hex(1, link.traceId);
  writer.hex(2, link.spanId);
}

function writeAttributes(writer: WireWriter, field: number, attributes: Attributes): void {
  for (const [key, value] of attributes) writePair(writer, field, key, value);
}

function writePair(writer: WireWriter, field: number, key: string, value: Value): void {
  writer.message(field, () => {
    writer.text(1, key);
    writer.message(2, () => writeValue(writer, value));
  });
}

/** AnyValue is a oneof: its members are written also when they hold the default of their type. Null is an empty one. */
function writeValue(writer: WireWriter, value: Value): void {
  if (value === null) return;
  switch (typeof value) {
    case "string":
      writer.textAlways(1, value);
      return;
    case "boolean":
      writer.boolAlways(2, value);
      return;
    case "bigint":
      writer.int64Always(3, value);
      return;
    case "number":
      if (isWrittenAsInteger(value)) writer.int64Always(3, BigInt(value));
      else writer.doubleAlways(4, value);
      return;
    default:
      writeComposite(writer, value);
  }
}

function writeComposite(
  writer: WireWriter,
  value: Exclude<Value, null | boolean | number | bigint | string>,
): void {
  if (value instanceof Uint8Array) writer.bytes(7, value);
  else if (isArray(value)) {
    writer.message(5, () => {
      for (const element of value) writer.message(1, () => writeValue(writer, element));
    });
  } else {
    writer.message(6, () => {
      for (const key of Object.keys(value)) writePair(writer, 1, key, value[key] ?? null);
    });
  }
}
