/**
 * Reads a YAML 1.2 text into a small tree in which every node knows its place, so that whoever checks the
 * tree can point at what is wrong.
 *
 * What is not a tree of text, numbers, booleans and nulls under text keys is a problem here: syntax errors,
 * duplicate keys, keys that are lists or maps, tags, several documents, aliases that multiply. Everything
 * found is returned at once. Never throws.
 *
 * Ranges are 1-based; columns and lengths count UTF-16 code units, and a node that spans lines is marked up
 * to the end of its first.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { didYouMean } from "./suggest.ts";

/** 1-based line and column, and how many characters the caret marks. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export type SourceNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly is: "scalar";
  /** Integers beyond 2^53 are bigints, all other numbers numbers. */
  readonly value: null | boolean | number | bigint | string;
  /** As written, without quotes: `007` stays `007`. */
  readonly text: string;
  readonly quoted: boolean;
  readonly range: SourceRange;
}

export interface ListNode {
  readonly is: "list";
  readonly items: readonly SourceNode[];
  readonly range: SourceRange;
}

export interface MapNode {
  readonly is: "map";
  /** In the order of the file; keys are unique. */
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly range: SourceRange;
}

export interface MapEntry {
  readonly key: string;
  readonly keyRange: SourceRange;
  readonly value: SourceNode;
}

export interface SourceProblem {
  readonly range: SourceRange;
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

export interface ParsedSource {
  /** null where the text is empty or is not YAML at all; else as much as could be read. */
  readonly root: SourceNode | null;
  readonly problems: readonly SourceProblem[];
}

export interface SourceLimits {
  /** Characters of one file. A contract is a page or two; a megabyte is a mistake. */
  readonly maxLength: number;
  /** Nodes that aliases may stand for in all: ordinary reuse is tens, nine nested aliases of nine are 10^9. */
  readonly maxAliasedNodes: number;
  /** Levels of lists and maps inside each other; keeps every recursive reader off the end of the stack. */
  readonly maxDepth: number;
}

export const defaultSourceLimits: SourceLimits = {
  maxLength: 1_048_576,
  maxAliasedNodes: 10_000,
  maxDepth: 64,
};

const start: SourceRange = { line: 1, column: 1, length: 1 };

export function parseYaml(text: string, limits: SourceLimits = defaultSourceLimits): ParsedSource {
  if (text.length > limits.maxLength) {
    return failed(
      start,
      "file-too-large",
      `the file has ${text.length} characters, more than the ${limits.maxLength} allowed`,
      "Split it into several files.",
    );
  }
  const deep = tooDeep(text, limits.maxDepth);
  const lines = new LineCounter();
  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      version: "1.2",
      schema: "core",
      // Duplicates are found below, in linear time and with the place of the first one.
      uniqueKeys: false,
      prettyErrors: false,
      intAsBigInt: true,
      lineCounter: lines,
      logLevel: "error",
    });
  } catch {
    // The composer is recursive; only nesting beyond reason brings it here.
    return failed(
      start,
      "nested-too-deep",
      "lists and maps are nested too deep to be read",
      "Flatten the file.",
    );
  }
  const reader = new Reader(text, lines, limits);
  for (const problem of [...document.errors, ...document.warnings]) {
    // The composer catches its own overflow and goes on; the limit on depth says the same with a place.
    if (problem.message.includes("call stack")) continue;
    reader.report(
      reader.rangeAt(problem.pos[0], Math.max(problem.pos[1], problem.pos[0] + 1)),
      "yaml-syntax",
      problem.code === "MULTIPLE_DOCS"
        ? "a second document begins here, and a file holds one"
        : sentence(problem.message),
      adviceFor(problem.code),
    );
  }
  if (deep) {
    return failed(
      start,
      "nested-too-deep",
      "lists and maps are nested too deep to be read",
      "Flatten the file.",
    );
  }
  const contents = document.contents;
  const root = contents === null ? null : reader.read(contents as ParsedNode, 0);
  return { root: isNothing(root) ? null : root, problems: inOrder(reader.problems) };
}

/** The plain value of a node: maps as objects without a prototype, since `__proto__` is a key like any other. */
export type Plain =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Plain[]
  | { readonly [key: string]: Plain };

export function plainValue(node: SourceNode): Plain {
  switch (node.is) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plainValue);
    case "map": {
      const object: Record<string, Plain> = Object.create(null);
      for (const [key, entry] of node.entries) object[key] = plainValue(entry.value);
      return object;
    }
  }
}

class Reader {
  readonly problems: SourceProblem[] = [];
  private readonly text: string;
  private readonly lines: LineCounter;
  private readonly limits: SourceLimits;
  private readonly anchors = new Map<string, { readonly node: SourceNode; readonly size: number }>();
  /** Anchors whose node is being read. */
  private readonly open = new Set<string>();
  /** Nodes read so far, those behind aliases counted as often as they are used. */
  private size = 0;
  private aliased = 0;
  private bombed = false;

  constructor(text: string, lines: LineCounter, limits: SourceLimits) {
    this.text = text;
    this.lines = lines;
    this.limits = limits;
  }

  report(range: SourceRange, code: string, message: string, advice: string): void {
    this.problems.push({ range, code, message, advice });
  }

  rangeAt(from: number, to: number): SourceRange {
    const { line, col } = this.lines.linePos(from);
    const newline = this.text.indexOf("\n", from);
    const lineEnd = newline < 0 ? this.text.length : newline;
    const marked = this.text.slice(from, Math.min(to, lineEnd)).trimEnd();
    return { line: Math.max(line, 1), column: Math.max(col, 1), length: Math.max(marked.length, 1) };
  }

  read(node: ParsedNode, depth: number): SourceNode {
    const range = this.rangeAt(node.range[0], node.range[1]);
    if (isAlias(node)) return this.readAlias(node.source, range);
    const anchor = "anchor" in node ? node.anchor : undefined;
    if (anchor !== undefined) this.open.add(anchor);
    const sizeBefore = this.size;
    this.size += 1;
    const made = this.readOwn(node, range, depth);
    if (anchor !== undefined) {
      this.open.delete(anchor);
      this.anchors.set(anchor, { node: made, size: this.size - sizeBefore });
    }
    return made;
  }

  private readOwn(node: ParsedNode, range: SourceRange, depth: number): SourceNode {
    if (depth > this.limits.maxDepth) {
      this.report(
        range,
        "nested-too-deep",
        "lists and maps are nested too deep to be read",
        "Flatten the file.",
      );
      return nothing(range);
    }
    if (isMap(node)) return this.readMap(node as YAMLMap.Parsed, range, depth);
    if (isSeq(node)) {
      const items = (node as YAMLSeq.Parsed).items.map((item) => this.read(item as ParsedNode, depth + 1));
      return { is: "list", items, range };
    }
    return isScalar(node) ? this.readScalar(node, range) : nothing(range);
  }

  private readScalar(node: Scalar, range: SourceRange): ScalarNode {
    const quoted = node.type !== undefined && node.type !== "PLAIN";
    const text = quoted ? String(node.value) : (node.source ?? "");
    return { is: "scalar", value: scalarValue(node.value), text, quoted, range };
  }

  private readMap(node: YAMLMap.Parsed, range: SourceRange, depth: number): MapNode {
    const entries = new Map<string, MapEntry>();
    for (const pair of node.items) {
      const keyNode = pair.key as ParsedNode;
      const keyRange = this.rangeAt(keyNode.range[0], keyNode.range[1]);
      const value = pair.value === null ? nothing(keyRange) : this.read(pair.value as ParsedNode, depth + 1);
      const key = isScalar(keyNode) ? this.readScalar(keyNode, keyRange).text : null;
      if (key === null) {
        this.report(
          keyRange,
          "key-not-text",
          "a key must be text, not a list, a map or an alias",
          "Write the key as a word.",
        );
        continue;
      }
      const first = entries.get(key);
      if (first !== undefined) {
        this.report(
          keyRange,
          "duplicate-key",
          `the key "${key}" stands twice in one map; the first is on line ${first.keyRange.line}`,
          "Keep one of the two, or merge them: a second key would silently override the first.",
        );
        continue;
      }
      entries.set(key, { key, keyRange, value });
    }
    return { is: "map", entries, range };
  }

  private readAlias(name: string, range: SourceRange): SourceNode {
    const target = this.anchors.get(name);
    if (target === undefined) {
      const cycle = this.open.has(name);
      this.report(
        range,
        cycle ? "alias-cycle" : "unknown-alias",
        cycle
          ? `"*${name}" stands inside the node it names`
          : `no anchor "&${name}" stands before this alias`,
        cycle
          ? "Write the value out."
          : `${didYouMean(name, this.anchors.keys())}Define the anchor first; a text that begins with * needs quotes.`,
      );
      return nothing(range);
    }
    this.size += target.size;
    this.aliased += target.size;
    if (this.aliased > this.limits.maxAliasedNodes) {
      if (!this.bombed) {
        this.report(
          range,
          "alias-limit",
          `aliases stand for more than ${this.limits.maxAliasedNodes} values`,
          "Write the values out, or name patterns under define.",
        );
      }
      this.bombed = true;
      return nothing(range);
    }
    return { ...target.node, range };
  }
}

const nothing = (range: SourceRange): ScalarNode => ({
  is: "scalar",
  value: null,
  text: "",
  quoted: false,
  range,
});

function isNothing(node: SourceNode | null): boolean {
  return node === null || (node.is === "scalar" && node.value === null && node.text === "");
}

function scalarValue(value: unknown): ScalarNode["value"] {
  if (typeof value === "bigint") {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return null;
}

/** Nesting by brackets alone, before a recursive composer sees it. Quotes may hide some: an estimate from above. */
function tooDeep(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "[" || char === "{") depth += 1;
    else if ((char === "]" || char === "}") && depth > 0) depth -= 1;
    if (depth > maxDepth * 16) return true;
  }
  return false;
}

function failed(range: SourceRange, code: string, message: string, advice: string): ParsedSource {
  return { root: null, problems: [{ range, code, message, advice }] };
}

function inOrder(problems: readonly SourceProblem[]): readonly SourceProblem[] {
  return [...problems].sort((a, b) => a.range.line - b.range.line || a.range.column - b.range.column);
}

function sentence(message: string): string {
  const oneLine = message.replace(/\s+/g, " ").trim();
  return oneLine.charAt(0).toLowerCase() + oneLine.slice(1);
}

function adviceFor(code: string): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "Indent with spaces; YAML does not allow tabs there.";
    case "BAD_INDENT":
      return "Line the entry up with its neighbours.";
    case "MULTIPLE_DOCS":
      return "Keep one document a file: remove the line ---, or split the file.";
    case "MISSING_CHAR":
      return "Close what was opened: a quote, a bracket or a brace; a text with : or # needs quotes.";
    case "BAD_ALIAS":
      return "Define the anchor (&name) before the alias (*name) that uses it; a text that begins with * needs quotes.";
    case "TAG_RESOLVE_FAILED":
      return "Remove the tag; a text that begins with ! needs quotes.";
    default:
      return "Check indentation, quotes and brackets around this place.";
  }
}
