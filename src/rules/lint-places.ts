/** Where in its file a finding about a compiled rule is shown. */
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem, Range } from "../model/load-error.ts";
import { type MapNode, parseYaml, type SourceNode } from "../source/yaml-source.ts";
import type { Rule } from "./rule.ts";
import { ProblemList, sortProblems } from "./rule-error.ts";

/** Finds places in the text and collects warnings. Reads each file once. */
export class LintPlaces {
  private readonly files: readonly string[];
  private readonly roots: ReadonlyMap<string, SourceNode | null>;
  private readonly lists = new Map<string, ProblemList>();

  constructor(sources: readonly ContractSource[]) {
    this.files = sources.map(({ file }) => file);
    this.roots = new Map(sources.map(({ file, text }) => [file, parseYaml(text).root]));
  }

  /** At the first of these keys that the rule has, in it or under its `then`; else at the rule. */
  warnRule(rule: Rule, keys: readonly string[], code: string, message: string, advice: string): void {
    this.warn(rule.file, this.keyRange(rule, keys) ?? rule.range, code, message, advice);
  }

  warn(file: string, range: Range, code: string, message: string, advice: string): void {
    const list = this.lists.get(file) ?? new ProblemList(file);
    this.lists.set(file, list);
    list.warn(range, code, message, advice);
  }

  /** The first key or text of a file that reads exactly so; the file's beginning where there is none. */
  wordRange(file: string, word: string): Range {
    return this.find(file, word) ?? { line: 1, column: 1, length: 1 };
  }

  /** Whether the file itself says the word, as a key or as a whole text. */
  says(file: string, word: string): boolean {
    return this.find(file, word) !== null;
  }

  private find(file: string, word: string): Range | null {
    const root = this.roots.get(file) ?? null;
    return root === null ? null : firstWord(root, word);
  }

  get found(): readonly LoadProblem[] {
    return sortProblems(
      [...this.lists.values()].flatMap((list) => list.all),
      this.files,
    );
  }

  private keyRange(rule: Rule, keys: readonly string[]): Range | null {
    const root = this.roots.get(rule.file) ?? null;
    const node = root === null ? null : mapAt(root, rule.range);
    const then = node?.entries.get("then")?.value;
    for (const key of keys) {
      const entry = node?.entries.get(key) ?? (then?.is === "map" ? then.entries.get(key) : undefined);
      if (entry !== undefined) return entry.keyRange;
    }
    return null;
  }
}

function childrenOf(node: SourceNode): readonly SourceNode[] {
  if (node.is === "scalar") return [];
  return node.is === "list" ? node.items : [...node.entries.values()].map(({ value }) => value);
}

function mapAt(node: SourceNode, { line, column }: Range): MapNode | null {
  if (node.is === "map" && node.range.line === line && node.range.column === column) return node;
  for (const child of childrenOf(node)) {
    const found = mapAt(child, { line, column, length: 0 });
    if (found !== null) return found;
  }
  return null;
}

function firstWord(node: SourceNode, word: string): Range | null {
  if (node.is === "scalar") return node.text === word ? node.range : null;
  if (node.is === "list") return firstOf(node.items, word);
  for (const entry of node.entries.values()) {
    if (entry.key === word) return entry.keyRange;
    const found = firstWord(entry.value, word);
    if (found !== null) return found;
  }
  return null;
}

function firstOf(nodes: readonly SourceNode[], word: string): Range | null {
  for (const node of nodes) {
    const found = firstWord(node, word);
    if (found !== null) return found;
  }
  return null;
}
