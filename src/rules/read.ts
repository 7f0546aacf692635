import { type Event, type Reading, readField } from "../model/event.ts";
import { isArray, type Value } from "../model/value.ts";
import type { Code } from "../model/verdict.ts";
import type { Path } from "./pattern.ts";

/** What an event has not shown yet while it is still running. */
const givenByTheEnd: ReadonlySet<string> = new Set(["status", "result", "end", "outcome"]);

/** Fields that come from other spans: where they are not settled, it is not known yet whom the event belongs to. */
const ofTheScope: ReadonlySet<string> = new Set(["agent", "service", "conversation", "environment", "user"]);

/**
 * How a call ends that has no result to capture: that its result says this or that is false and not unknown,
 * or a gate whose check crashed would never be broken. A refusal may well have one.
 */
const withoutResult: ReadonlySet<string> = new Set([
  "error",
  "timeout",
  "cancelled",
  "rejected_invalid",
  "awaiting",
]);

/**
 * Reads a path as a predicate may (docs/semantics.md 11): besides what `readField` knows, arguments or a
 * result that are missing as a whole were not captured, and, unless the scope is settled, what a span still
 * to come may change is unknown.
 */
export function readPredicate(event: Event, path: Path, settled: boolean): Reading {
  const root = path[0] ?? "";
  if (!settled) {
    const code = unsettled(event, path, root);
    if (code !== null) return { is: "unknown", code };
  }
  const reading = readField(event, path);
  if (reading.is !== "absent") return reading;
  const missing =
    (root === "args" && event.args === undefined) ||
    (root === "result" && event.result === undefined && !withoutResult.has(event.status));
  return missing ? { is: "unknown", code: "not_captured" } : reading;
}

function unsettled(event: Event, path: Path, root: string): Code | null {
  if (event.end === "open" && givenByTheEnd.has(root)) return "data_incomplete";
  if (event.unsettled.size === 0) return null;
  for (let take = 1; take <= path.length; take += 1) {
    if (event.unsettled.has(path.slice(0, take).join("."))) {
      return ofTheScope.has(root) ? "scope_unknown" : "data_incomplete";
    }
  }
  return null;
}

/** The certain reasons that a detector's field lists, and why others are not known; null: there are no others. */
export function readReasons(
  event: Event,
  field: string,
  settled: boolean,
): { readonly listed: readonly Value[]; readonly code: Code | null } {
  const value = event.fields.get(field);
  const listed = isArray(value) ? value : value === undefined || value === null ? [] : [value];
  const code = event.hidden.get(field) ?? (settled ? null : unsettled(event, [field], field));
  return { listed, code };
}
