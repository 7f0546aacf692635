/** The span that a run hangs from, as far as it has come (docs/decisions/09-when-a-run-ends.md). */
import { byStart, type SpanNode } from "./graph.ts";

export interface LocalRoot {
  readonly node: SpanNode;
  /** It has no parent at all; false: its parent is elsewhere or has not come. */
  readonly trueRoot: boolean;
}

/** The span without a parent; if none is here, the earliest whose parent is remote or has not come, or log record. */
export function localRoot(nodes: readonly SpanNode[]): LocalRoot | null {
  const roots = nodes.filter(
    (node) => node.parent === null && !node.parentMissing && node.fact.log === undefined,
  );
  const root = roots.toSorted(byStart)[0];
  if (root !== undefined) return { node: root, trueRoot: root.fact.parentId === null };
  const orphan = nodes.filter((node) => node.parent === null).toSorted(byStart)[0];
  return orphan === undefined ? null : { node: orphan, trueRoot: false };
}
