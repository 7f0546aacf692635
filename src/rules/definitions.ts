import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import type { ProblemList } from "./rule-error.ts";

/**
 * The names under `define:`, used as `$name` wherever a pattern or a bind list may stand. A definition may use
 * others; one that uses itself is a problem, not a loop.
 */
export class Definitions {
  private readonly nodes: ReadonlyMap<string, SourceNode>;
  private readonly problems: ProblemList;
  private readonly using: string[] = [];

  constructor(nodes: ReadonlyMap<string, SourceNode>, problems: ProblemList) {
    this.nodes = nodes;
    this.problems = problems;
  }

  /** Calls `read` with the node behind `$name`; null where there is none, or where it is being read already. */
  resolve<T>(reference: string, range: Range, read: (node: SourceNode) => T | null): T | null {
    const name = reference.slice(1);
    const node = this.nodes.get(name);
    if (node === undefined) {
      this.problems.error(
        range,
        "unknown-definition",
        `nothing is defined as "${name}"`,
        `${didYouMean(name, this.nodes.keys())}Add it under define, or put the text in quotes after a kind or tool key.`,
      );
      return null;
    }
    if (this.using.includes(name)) {
      this.problems.error(
        range,
        "definition-cycle",
        `the definition of "${name}" uses itself: ${[...this.using, name].join(" → ")}`,
        "Write one of them out.",
      );
      return null;
    }
    this.using.push(name);
    try {
      return read(node);
    } finally {
      this.using.pop();
    }
  }
}

/** `$name` where a node is a reference, else null. */
export function referenceOf(node: SourceNode): string | null {
  return node.is === "scalar" && typeof node.value === "string" && /^\$[A-Za-z_]/.test(node.text)
    ? node.text
    : null;
}
