/** Stories as OTLP JSON: one resource a host, so that each has a clock of its own. */
import type { Told } from "./matrix-stories.ts";

const midnight = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
const nanos = (second: number): string => String(midnight + BigInt(Math.round(second * 1e9)));

export function requestOf(spans: readonly Told[]): object {
  const byHost = Map.groupBy(spans, ({ host }) => host ?? "agent");
  return {
    resourceSpans: [...byHost].map(([host, own]) => ({
      resource: { attributes: attributesOf({ "service.name": "matrix", "host.id": host, "process.pid": 1 }) },
      scopeSpans: [{ scope: { name: "matrix" }, spans: own.map(spanOf) }],
    })),
  };
}

function spanOf({ id, name, start, end, trace, signal, failed, attributes }: Told): object {
  const own: NonNullable<Told["attributes"]> =
    signal === undefined
      ? { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "agent.event.id": id }
      : { "agent.event.kind": signal };
  return {
    traceId: hex(trace ?? "first", 32),
    spanId: hex(id, 16),
    name: signal === undefined ? `execute_tool ${name}` : name,
    kind: 1,
    startTimeUnixNano: nanos(start),
    ...(end === null ? {} : { endTimeUnixNano: nanos(end) }),
    attributes: attributesOf({ ...own, "gen_ai.conversation.id": "c1", ...attributes }),
    status: failed === true ? { code: 2 } : { code: 1 },
  };
}

function attributesOf(attributes: NonNullable<Told["attributes"]>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: wireValue(value) }));
}

function wireValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  if (typeof value === "boolean") return { boolValue: value };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}

/** An id that is the same for the same text. */
function hex(text: string, digits: number): string {
  return Buffer.from(text).toString("hex").padEnd(digits, "0").slice(0, digits);
}
