/** One attribute by which an agent says something of itself, as `docs/attributes.md` prints it. */
export interface AttributeRow {
  /** The event field that it fills; for an attribute that is a signal, the kind of event that it makes. */
  readonly is: string;
  /** Names it is read from, first found wins; the first is the one to write. */
  readonly names: readonly string[];
  readonly type: "string" | "int" | "boolean" | "string[]" | "string or int";
  /** What one of its value is; null for names and words. */
  readonly unit: string | null;
  /** Who writes it: `agent` is `toolorder/agent`, `code` the program that knows it. */
  readonly setBy: "agent" | "code" | "agent or code";
  readonly example: string;
  readonly means: string;
  /** What looks at it besides the rules that name it. */
  readonly readBy: string;
}
