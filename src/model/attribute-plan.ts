/**
 * Which attributes a decoder materialises. Dialects and contracts make the plan, `otlp` reads by it:
 * everything else on a span is skipped without being copied.
 */
export interface KeySelection {
  /** Whole attribute keys. */
  readonly exact: ReadonlySet<string>;
  /** Beginnings of keys, such as `llm.output_messages.`. Few: each is tried on every key that `exact` lacks. */
  readonly prefixes: readonly string[];
}

export interface AttributePlan {
  readonly span: KeySelection;
  /** Attributes of span events; which events are decoded is decided by their attributes alone. */
  readonly event: KeySelection;
  /**
   * Which log records may be events: those with an event name or one of these attributes. They are read whole.
   * Absent: every record.
   */
  readonly log?: KeySelection;
}

/** Resource and scope attributes are few and shared by a whole batch: they are always materialised. */
export const everything: AttributePlan = {
  span: { exact: new Set(), prefixes: [""] },
  event: { exact: new Set(), prefixes: [""] },
};

export function wants(selection: KeySelection, key: string): boolean {
  return selection.exact.has(key) || selection.prefixes.some((prefix) => key.startsWith(prefix));
}
