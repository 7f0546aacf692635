/**
 * Which traces may hold the two ends of one MCP call. A server that was given no trace context begins a trace of
 * its own, and only the tool, the time and the arguments tie it to its client's span. Traces
 * are looked at together where a parentless server span lies inside the seconds of a client span of its tool;
 * `assemble` decides whether they are one call.
 */
import type { SpanFact } from "../../model/span-fact.ts";
import { milliseconds, type UnixNano } from "../../model/time.ts";

const second = 1_000_000_000n;
/** Starts are floored to the millisecond: a server may seem to begin that much before its client. */
const slack = milliseconds(1);
/** A client's span of more than this many seconds is looked for by its first ones only. */
const mostSeconds = 64n;

/** The second in which a parentless MCP server span began; null for any other span. */
export function serverKey(fact: SpanFact): string | null {
  if (fact.side !== "server" || fact.parentId !== null || fact.kind !== "tool_call") return null;
  return fact.start === null || fact.name === null ? null : keyOf(fact.name, fact.start / second);
}

/** Every second that an MCP client's call touches; none for any other span. */
export function clientKeys(fact: SpanFact): readonly string[] {
  if (fact.spanKind !== 3 || fact.side === "server" || fact.kind !== "tool_call") return [];
  if (fact.start === null || fact.name === null) return [];
  const first = (fact.start - slack) / second;
  const end: UnixNano = fact.end ?? fact.start;
  const last = end / second < first + mostSeconds ? end / second : first + mostSeconds;
  const keys: string[] = [];
  for (let at = first; at <= last; at += 1n) keys.push(keyOf(fact.name, at));
  return keys;
}

/** Servers and clients may put a prefix before a tool's name: its last part is what both say. */
function keyOf(name: string, at: bigint): string {
  return `${
    name
      .toLowerCase()
      .split(/__|[.\-/]/)
      .at(-1) ?? name
  }@${at}`;
}
