import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import type { ProblemList } from "./rule-error.ts";

export interface Definition {
  readonly node: SourceNode;
  /** Where it stands: here, or in a file that is included. */
  readonly file: string;
  readonly range: Range;
}

/**
 * The names under `define:`, used as `$name` wherever a pattern or a bind list may stand. A definition may use
 * others; one that uses itself is a problem, not a loop.
 */
export class Definitions {
  private readonly known: ReadonlyMap<string, Definition>;
  private readonly problems: ProblemList;
  private readonly using: string[] = [];

  constructor(known: ReadonlyMap<string, Definition>, problems: ProblemList) {
    this.known = known;
    this.problems = problems;
  }

  /** Calls `read` with the node behind `$name`; null where there is none, or where it is being read already. */
  resolve<T>(reference: string, range: Range, read: (node: SourceNode) => T | null): T | null {
    const name = reference.slice(1);
    const definition = this.known.get(name);
    if (definition === undefined) {
      this.problems.error(
        range,
        "unknown-definition",
        `nothing is defined as "${name}"`,
        `${didYouMean(name, this.known.keys())}Add it under define, or put the text in quotes after a kind or tool key.`,
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
      const { node, file } = definition;
      // What is wrong in another file is told there; here it is told where the name is used.
      return read(file === this.problems.file ? node : placedAt(node, range));
    } finally {
      this.using.pop();
    }
  }
}

function placedAt(node: SourceNode, range: Range): SourceNode {
  if (node.is === "scalar") return { ...node, range };
  if (node.is === "list") return { ...node, items: node.items.map((item) => placedAt(item, range)), range };
  const entries = [...node.entries].map(
    ([key, entry]) => [key, { key, keyRange: range, value: placedAt(entry.value, range) }] as const,
  );
  return { is: "map", entries: new Map(entries), range };
}

/** `$name` where a node is a reference, else null. */
export function referenceOf(node: SourceNode): string | null {
  return node.is === "scalar" && typeof node.value === "string" && /^\$[A-Za-z_]/.test(node.text)
    ? node.text
    : null;
}
