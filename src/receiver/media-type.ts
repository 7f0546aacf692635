/** Reads the headers that say how a body is written. */
import type { Encoding } from "../otlp/encode-response.ts";

export const mediaTypes = {
  protobuf: "application/x-protobuf",
  json: "application/json",
} as const satisfies Record<Encoding, string>;

/** The encoding that a Content-Type names, in any case and with any parameters; null for every other. */
export function encodingOf(contentType: string | undefined): Encoding | null {
  const [name = ""] = (contentType ?? "").split(";", 1);
  switch (name.trim().toLowerCase()) {
    case mediaTypes.protobuf:
      return "protobuf";
    case mediaTypes.json:
      return "json";
    default:
      return null;
  }
}

/**
 * The content codings of a body, outermost last as the header lists them. `identity` says nothing and is
 * left out; `x-gzip` is gzip's old name (RFC 9110, 8.4.1.3).
 */
export function contentCodings(contentEncoding: string | undefined): readonly string[] {
  return (contentEncoding ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity")
    .map((coding) => (coding === "x-gzip" ? "gzip" : coding));
}
