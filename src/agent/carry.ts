import { baggageHeader, identityOfHeader } from "./identity.ts";
import { currentFrame, inherit } from "./scope.ts";

/** Headers of a request, or whatever else goes along with a message. */
export type Headers = Record<string, string | readonly string[] | undefined>;

/**
 * Adds the current identity to the headers for a child agent, as W3C baggage. Where OpenTelemetry's propagator
 * already carries baggage, this is not needed.
 */
export function carry<H extends Headers>(headers: H): H & { readonly baggage?: string } {
  const frame = currentFrame();
  return frame === null ? headers : { ...headers, baggage: baggageHeader(frame.identity, headerOf(headers)) };
}

/** Runs `body` under the identity that came with these headers; without one, as it is. */
export function receive<T>(headers: Headers, body: () => T): T {
  return inherit(identityOfHeader(headerOf(headers)), body);
}

function headerOf(headers: Headers): string {
  const values = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === "baggage")
    .flatMap(([, value]) => value ?? []);
  return values.join(",");
}
