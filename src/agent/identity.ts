import { type Baggage, type Context, propagation } from "@opentelemetry/api";
import { agentDecisionId, agentDecisionSeq, agentRunId, agentTurnId } from "../model/attribute-names.ts";

/** Who works: what is stamped on spans, and handed to child agents as W3C baggage under the same names. */
export interface Identity {
  readonly run: string | null;
  readonly conversation: string | null;
  readonly turn: string | null;
  readonly decision: number | null;
  readonly decisionId: string | null;
}

/** OpenTelemetry's own name for it (GenAI semantic conventions). */
export const conversationId = "gen_ai.conversation.id";

const names = [
  [agentRunId, "run"],
  [conversationId, "conversation"],
  [agentTurnId, "turn"],
  [agentDecisionSeq, "decision"],
  [agentDecisionId, "decisionId"],
] as const;

/** Baggage comes from whoever called: nothing longer than this is an id. */
const longestId = 256;

/** The context with this identity as its baggage; other entries stay. */
export function withIdentity(parent: Context, identity: Identity): Context {
  let baggage: Baggage = propagation.getBaggage(parent) ?? propagation.createBaggage();
  for (const [key, field] of names) {
    const value = identity[field];
    baggage = value === null ? baggage.removeEntry(key) : baggage.setEntry(key, { value: String(value) });
  }
  return propagation.setBaggage(parent, baggage);
}

/** The identity in the context's baggage; null where it names no run. */
export function identityIn(parent: Context): Identity | null {
  const baggage = propagation.getBaggage(parent);
  return baggage === undefined ? null : identityFrom((key) => baggage.getEntry(key)?.value);
}

/** The identity as attributes for a span. */
export function identityAttributes(identity: Identity): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const [key, field] of names) {
    const value = identity[field];
    if (value !== null) attributes[key] = value;
  }
  return attributes;
}

/**
 * The value of a `baggage` header for a child agent, for transports that no instrumentation propagates. `existing`:
 * the header as it stands; entries of other names stay as they are (W3C Baggage, 3.2).
 */
export function baggageHeader(identity: Identity, existing = ""): string {
  const own = new Set<string>(names.map(([key]) => key));
  const others = existing
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && !own.has(entry.split("=")[0]?.trim() ?? ""));
  const stated = Object.entries(identityAttributes(identity)).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  );
  return [...others, ...stated].join(",");
}

/** Reads a `baggage` header. Null where it names no run. */
export function identityOfHeader(header: string): Identity | null {
  const entries = new Map<string, string>();
  for (const entry of header.split(",")) {
    const [pair = ""] = entry.split(";");
    const cut = pair.indexOf("=");
    if (cut > 0) entries.set(pair.slice(0, cut).trim(), decoded(pair.slice(cut + 1).trim()));
  }
  return identityFrom((key) => entries.get(key));
}

function identityFrom(read: (key: string) => string | undefined): Identity | null {
  const text = (key: string): string | null => {
    const value = read(key);
    return value === undefined || value === "" || value.length > longestId ? null : value;
  };
  const run = text(agentRunId);
  if (run === null) return null;
  const number = Number(text(agentDecisionSeq) ?? Number.NaN);
  return {
    run,
    conversation: text(conversationId),
    turn: text(agentTurnId),
    decision: Number.isSafeInteger(number) && number > 0 ? number : null,
    decisionId: text(agentDecisionId),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
