import type { Value } from "./value.ts";

/**
 * What an HTTP client span says of the request that it stands for, by the OpenTelemetry conventions for HTTP, old
 * and new. Kept only where a rule reads what a tool call can have of it.
 */
export interface HttpFact {
  /** Upper case; null when not recorded. */
  readonly method: string | null;
  /** Method and address: what a resent request shares with the first. */
  readonly target: string;
  /** null: no response, or none recorded. */
  readonly status: number | null;
  /** It ended with an error and without a response: whether it arrived is not known. */
  readonly noResponse: boolean;
  /** Ordinal of a resend; null when not recorded, as it is for a first request. */
  readonly resend: number | null;
  readonly key: Header;
  readonly ifMatch: Header;
  readonly etag: Header;
  /** Whether any header of the request, or of the response, was recorded. */
  readonly headers: { readonly request: boolean; readonly response: boolean };
}

/** `unclear`: recorded, and not one value: several, or blotted out. */
export type Header =
  | { readonly is: "absent" }
  | { readonly is: "unclear" }
  | { readonly is: "value"; readonly value: Value };
