/** Log requests through protobufjs: the oracle of our own readers, which shares no code with them. */
import { logsRequestType } from "./trace-schema.ts";

/** A request as OTLP/JSON has it, in protobuf. */
export function encodeLogs(request: { readonly [key: string]: unknown }): Uint8Array {
  return new Uint8Array(logsRequestType.encode(logsRequestType.fromObject(withBytes(request))).finish());
}

/** OTLP/JSON writes ids in hex, where protobufjs takes base64 or bytes. */
function withBytes(value: unknown): { [key: string]: unknown } {
  return mapped(value) as { [key: string]: unknown };
}

function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      (key === "traceId" || key === "spanId") && typeof inner === "string"
        ? Buffer.from(inner, "hex")
        : mapped(inner),
    ]),
  );
}
