import { type IdFaults, idFaults, spanIdLength, textIdFault, traceIdLength } from "./id-fault.ts";
import { type JsonFields, type JsonObject, notText } from "./json-fields.ts";
import { zeroSpanId, zeroTraceId } from "./span-defaults.ts";

/** Reads ids as OTLP/JSON writes them: hex, in any case. An unusable one marks a fault and reads as empty. */
export class JsonIds {
  readonly #fields: JsonFields;

  constructor(fields: JsonFields) {
    this.#fields = fields;
  }

  traceId(owner: JsonObject, path: string, faults: IdFaults, needed: boolean): string {
    const value = this.#fields.get(owner, "traceId", "trace_id");
    if (typeof value === "string" && traceIdText.test(value)) {
      const id = value.toLowerCase();
      if (id !== zeroTraceId) return id;
    }
    return this.#noId(value, path, faults, traceIdLength, needed);
  }

  spanId(owner: JsonObject, camel: string, snake: string, faults: IdFaults, needed: boolean): string {
    const value = this.#fields.get(owner, camel, snake);
    if (typeof value === "string" && spanIdText.test(value)) {
      const id = value.toLowerCase();
      if (id !== zeroSpanId) return id;
    }
    const path = faults === linkSpanFaults ? "links.spanId" : camel;
    return this.#noId(value, path, faults, spanIdLength, needed);
  }

  /** Always empty. Marks a fault, unless the id may be missing and is: absent, empty or all zero. */
  #noId(value: unknown, path: string, faults: IdFaults, want: number, needed: boolean): "" {
    const text = value ?? "";
    const fault = typeof text === "string" ? textIdFault(faults, text, want) : notText;
    const missing = fault === faults.empty || fault === faults.zero;
    if (needed || !missing) this.#fields.refuse(fault, path);
    return "";
  }
}

export const traceFaults = idFaults("trace_id", traceIdLength);
export const spanFaults = idFaults("span_id", spanIdLength);
export const parentFaults = idFaults("parent_span_id", spanIdLength);
export const linkTraceFaults = idFaults("link_id", traceIdLength);
export const linkSpanFaults = idFaults("link_id", spanIdLength);

const traceIdText = /^[0-9a-fA-F]{32}$/;
const spanIdText = /^[0-9a-fA-F]{16}$/;
