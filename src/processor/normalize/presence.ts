/** Which dialects have something to say about a span, found in one pass over its attributes. */
import { plainPrefix } from "../../model/attribute-names.ts";
import type { Span } from "../../model/span.ts";
import { byPrecedence } from "./detect.ts";
import type { Dialect } from "./dialect.ts";

export interface Presence {
  /** Those with an attribute of their own on the span, by precedence. */
  readonly dialects: readonly Dialect[];
  readonly set: ReadonlySet<Dialect>;
  /** It encodes a plain event. */
  readonly isPlain: boolean;
}

/** Every attribute that a dialect reads by its whole name. */
export function keysOf(dialect: Dialect): readonly string[] {
  const sources = Object.values(dialect.sources).flat();
  return [...dialect.keys, ...sources.filter((source): source is string => typeof source === "string")];
}

const owners = new Map<string, Dialect[]>();
for (const dialect of byPrecedence) {
  for (const key of new Set(keysOf(dialect))) owners.set(key, [...(owners.get(key) ?? []), dialect]);
}
const prefixes = byPrecedence.flatMap((dialect) =>
  (dialect.prefixes ?? []).map((prefix) => ({ prefix, dialect })),
);
const adk = byPrecedence.find((dialect) => dialect.name === "google-adk");
const none: Presence = { dialects: [], set: new Set(), isPlain: false };

export function presenceOf(span: Span): Presence {
  const set = new Set<Dialect>();
  let isPlain = false;
  for (const key of span.attributes.keys()) {
    const known = owners.get(key);
    if (known !== undefined) {
      for (const dialect of known) set.add(dialect);
      continue;
    }
    if (key.startsWith(plainPrefix)) isPlain = true;
    for (const { prefix, dialect } of prefixes) if (key.startsWith(prefix)) set.add(dialect);
  }
  // ADK's failed calls carry no attribute at all: the scope is all there is to tell them by.
  if (adk !== undefined && span.scope.name === "gcp.vertex.agent") set.add(adk);
  if (set.size === 0) return isPlain ? { ...none, isPlain } : none;
  return { dialects: byPrecedence.filter((dialect) => set.has(dialect)), set, isPlain };
}
