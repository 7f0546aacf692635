/** Reads one field from a span: the dialects in their order of precedence, placeholders out, redactions seen. */
import type { Flaw } from "../../model/event.ts";
import type { Value } from "../../model/value.ts";
import type { Dialect, SourceField } from "./dialect.ts";
import { isBounded, isPresent, textOf } from "./values.ts";
import type { View } from "./view.ts";

export interface Resolved {
  readonly value: Value | undefined;
  /** A value was there and taken out on purpose. */
  readonly redacted: boolean;
  readonly flaw: Flaw | null;
}

const nothing: Resolved = { value: undefined, redacted: false, flaw: null };

/** The first present value of a field. A blank text, a placeholder and null are no value. */
export function resolve(view: View, dialects: readonly Dialect[], field: SourceField): Resolved {
  let redacted = false;
  for (const dialect of dialects) {
    for (const source of dialect.sources[field] ?? []) {
      const value = typeof source === "string" ? view.json(source) : source(view);
      if (value === undefined || value === null || value === "") continue;
      if (isPlaceholder(view, source, value, dialects, field)) continue;
      if (typeof value === "string" && dialects.some((one) => one.redactions?.includes(value))) {
        redacted = true;
        continue;
      }
      if (!isBounded(value)) return { ...nothing, flaw: "unparseable" };
      return { value, redacted: false, flaw: typeof source === "string" ? view.flawOf(source) : null };
    }
  }
  return redacted ? { ...nothing, redacted } : nothing;
}

export function resolveText(view: View, dialects: readonly Dialect[], field: SourceField): string | null {
  return textOf(resolve(view, dialects, field).value);
}

/**
 * Placeholders hold for the dialects that are on the span: `{}` is a real argument list elsewhere. They are
 * compared as written, so that `{}` is told from an empty object that another dialect means.
 */
function isPlaceholder(
  view: View,
  source: unknown,
  value: Value,
  dialects: readonly Dialect[],
  field: SourceField,
): boolean {
  const written = typeof source === "string" ? view.raw(source) : value;
  if (!isPresent(written)) return true;
  if (typeof written !== "string") return false;
  return dialects.some((dialect) => dialect.placeholders?.[field]?.includes(written) === true);
}
