import type { MapEntry, MapNode, SourceNode } from "../../source/yaml-source.ts";
import { referenceOf } from "../definitions.ts";
import { describe, MapReader, readMap, readText, readWord } from "../map-reader.ts";
import { type ComparisonContext, parseComparisons, parseOperandNode } from "../parse-comparison.ts";
import { parsePath } from "../parse-path.ts";
import { parsePattern } from "../parse-pattern.ts";
import type { Bind, Comparison, Path, Pattern, Side } from "../pattern.ts";
import type { Blocker, Link } from "../program.ts";
import { toolKinds } from "../words.ts";
import { sameSubject } from "./make-link.ts";

import type { KindContext, LinkOptions, Need } from "./rule-kind.ts";

/** Keys that a `$name` of a list may stand for. */
const listKeys: ReadonlySet<string> = new Set(["bind", "distinct", "same", "covers", "content"]);

/** The keys of one rule, read in the words of its kind. */
export class RuleParts {
  readonly reader: MapReader;
  readonly context: KindContext;
  readonly plainNumbersAreMilliseconds: boolean;
  /** Patterns as the user wrote them: one of them in a run makes the contract take part. */
  readonly patterns: Pattern[];

  constructor(
    reader: MapReader,
    context: KindContext,
    plainNumbersAreMilliseconds: boolean,
    patterns: Pattern[] = [],
  ) {
    this.patterns = patterns;
    this.reader = reader;
    this.context = context;
    this.plainNumbersAreMilliseconds = plainNumbersAreMilliseconds;
  }

  /** A map inside the rule, read in the same words; its patterns are the rule's. */
  inside(node: MapNode, what: string): RuleParts {
    const reader = new MapReader(node, what, this.reader.problems);
    return new RuleParts(reader, this.context, this.plainNumbersAreMilliseconds, this.patterns);
  }

  /** A pattern under the first of these keys that is there; the others are its synonyms. */
  pattern(key: string, ...synonyms: readonly string[]): Pattern | null {
    this.reader.tell(key, { is: "pattern" }, { required: true, synonyms });
    for (const word of synonyms) this.reader.tell(word, { is: "pattern" });
    const keys = [key, ...synonyms];
    const given = keys.filter((name) => this.reader.has(name));
    for (const extra of given.slice(1)) {
      this.reader.problems.error(
        this.reader.rangeOf(extra),
        "set-twice",
        `${given[0]} and ${extra} are two words for one thing`,
        "Keep one of them.",
      );
    }
    const node = this.reader.require(given[0] ?? key, `Add ${keys.join(" or ")}: a tool name or a pattern.`);
    return node === null ? null : this.read(node);
  }

  optionalPattern(key: string): Pattern | null {
    this.reader.tell(key, { is: "pattern" });
    const node = this.reader.get(key);
    return node === null ? null : this.read(node);
  }

  /** A list of patterns, at least `least` of them; null when one of them is wrong. */
  patternList(key: string, least: number): readonly Pattern[] | null {
    this.reader.tell(key, { is: "patterns" });
    if (this.reader.require(key, `Add ${key}: a list of tool names or patterns.`) === null) return null;
    const items = this.reader.list(key);
    if (items === null) return null;
    if (items.length < least) {
      this.reader.problems.error(
        this.reader.rangeOf(key),
        "list-too-short",
        `"${key}" needs at least ${least} entries`,
        "Add the patterns it speaks about.",
      );
      return null;
    }
    const made = items.flatMap((item) => this.read(item) ?? []);
    return made.length === items.length ? made : null;
  }

  read(node: SourceNode): Pattern | null {
    const made = parsePattern(node, this.context);
    if (made !== null) this.patterns.push(made);
    return made;
  }

  paths(key: string): readonly Path[] {
    this.reader.tell(key, { is: "paths" });
    return this.listOf(key, (item) => {
      const text = readText(item, `"${key}"`, this.reader.problems);
      return text === null ? null : this.path(text, item);
    });
  }

  binds(key: string): readonly Bind[] {
    this.reader.tell(key, { is: "binds" });
    return this.listOf(key, (item) => {
      if (item.is !== "map") {
        const text = readText(item, `"${key}"`, this.reader.problems);
        const path = text === null ? null : this.path(text, item);
        return path === null ? null : { anchor: path, witness: path };
      }
      return this.pairOf(item, key);
    });
  }

  /** `{a: path of the anchor, w: path of the witness}` */
  pairOf(node: MapNode, key: string): Bind | null {
    const sides = new MapReader(node, `an entry of "${key}"`, this.reader.problems);
    const [anchor, witness] = ["a", "w"].map((side) => {
      const value = sides.require(side, "Write {a: path of the anchor, w: path of the witness}.");
      const text = value === null ? null : readText(value, `"${side}"`, this.reader.problems);
      return value === null || text === null ? null : this.path(text, value);
    });
    sides.done();
    return anchor && witness ? { anchor, witness } : null;
  }

  /** An event that ends something: `resume` is the kind of that name, any other word a tool. */
  eventOrKind(node: SourceNode): Pattern | null {
    const isKind =
      node.is === "scalar" && this.context.vocabulary.kinds.has(node.text) && !toolKinds.has(node.text);
    if (!isKind) return this.read(node);
    const entry: MapEntry = { key: "kind", keyRange: node.range, value: node };
    return this.read({ is: "map", entries: new Map([["kind", entry]]), range: node.range });
  }

  /** How the expiry is counted; in case files plain numbers are milliseconds. */
  unit(): "s" | "ms" | "ns" | null {
    return (
      this.reader.word("unit", ["s", "ms", "ns"] as const) ?? (this.plainNumbersAreMilliseconds ? "ms" : null)
    );
  }

  comparisons(key: string, sides: readonly Side[]): readonly Comparison[] {
    this.reader.tell(key, { is: "comparisons" });
    const node = this.reader.get(key);
    return node === null ? [] : parseComparisons(node, `"${key}"`, this.comparing(sides));
  }

  comparing(sides: readonly Side[]): ComparisonContext {
    return { sides, vocabulary: this.context.vocabulary, problems: this.reader.problems };
  }

  /** Everything that a link may carry beside its two patterns. */
  linkOptions(need: Need, quant: Link["quant"], anchor: Pattern | null): LinkOptions {
    const { reader } = this;
    if (need === "any" || need === "apart") {
      for (const key of ["within", "no_sooner", "valid_until", "unless_between"])
        this.refuse(key, "this kind asks for no order, so nothing lies between");
    }
    if (need === "future") this.refuse("valid_until", "evidence that expires comes before what it allows");
    if (quant === "none") this.refuse("at_least", "this kind forbids its witness");
    if (need === "apart") this.refuse("at_least", "limit says how many may be open at once");
    const validUntil = reader.get("valid_until");
    const operand =
      validUntil === null ? null : parseOperandNode(validUntil, '"valid_until"', this.comparing(["w", "a"]));
    const unit = this.unit();
    // Approvals say an expiry whether the rule names it or not. Not asked for here: other kinds refuse both keys.
    const expires = ["expires", "covers"].some((key) => reader.node.entries.has(key));
    if (reader.has("unit") && validUntil === null && !expires) {
      reader.problems.error(
        reader.rangeOf("unit"),
        "no-meaning",
        "unit says how valid_until is counted, and there is none",
        "Add valid_until, or remove unit.",
      );
    }
    const within = reader.duration("within", this.plainNumbersAreMilliseconds);
    const noSooner = reader.duration("no_sooner", this.plainNumbersAreMilliseconds);
    if (within !== null && noSooner !== null && noSooner > within) {
      reader.problems.error(
        reader.rangeOf("no_sooner"),
        "impossible-bounds",
        "nothing is both this far apart and within the limit",
        "Make no_sooner at most within.",
      );
    }
    return {
      bind: this.binds("bind"),
      where: this.comparisons("where", ["a", "w"]),
      within,
      noSooner,
      validUntil: operand === null ? null : { operand, unit },
      unlessBetween: this.blockers("unless_between", anchor),
      atLeast: reader.wholeNumber("at_least", 1) ?? 1,
    };
  }

  refuse(key: string, because: string): void {
    this.reader.tell(key, { is: "refused" });
    if (!this.reader.has(key)) return;
    this.reader.problems.error(
      this.reader.rangeOf(key),
      "no-meaning",
      `"${key}" has no meaning here: ${because}`,
      `Remove ${key}, or use another kind of rule.`,
    );
  }

  blockers(
    key: string,
    anchor: Pattern | null,
    read: (node: SourceNode) => Pattern | null = (node) => this.read(node),
  ): readonly Blocker[] {
    this.reader.tell(key, { is: "blockers" });
    return this.listOf(key, (item) => {
      const isLong = item.is === "map" && item.entries.has("match");
      const reader = isLong ? readMap(item, `an entry of "${key}"`, this.reader.problems) : null;
      const match = read(reader?.get("match") ?? item);
      const whereNode = reader?.get("where") ?? null;
      const where =
        whereNode === null ? [] : parseComparisons(whereNode, '"where"', this.comparing(["b", "w", "a"]));
      reader?.done();
      if (match === null) return null;
      const own = anchor !== null && sameSubject(match, anchor);
      return { match, where, bound: false, code: own ? "blocked" : "invalidated" };
    });
  }

  listOf<T>(key: string, read: (node: SourceNode) => T | null): readonly T[] {
    const node = this.reader.get(key);
    return node === null ? [] : this.itemsOf(node, key, read);
  }

  private itemsOf<T>(node: SourceNode, key: string, read: (node: SourceNode) => T | null): readonly T[] {
    const reference = referenceOf(node);
    if (reference !== null && listKeys.has(key)) {
      return (
        this.context.definitions.resolve(reference, node.range, (target) =>
          this.itemsOf(target, key, read),
        ) ?? []
      );
    }
    if (node.is === "scalar" && node.value === null) {
      this.reader.problems.error(
        node.range,
        "wrong-type",
        `"${key}" must be a list, not ${describe(node)}`,
        `Write ${key}: [ … ], or remove it.`,
      );
      return [];
    }
    // Not flatMap with the value itself: a path is a list and would be flattened.
    return (node.is === "list" ? node.items : [node]).flatMap((item) => {
      const made = read(item);
      return made === null ? [] : [made];
    });
  }

  private path(text: string, node: SourceNode): Path | null {
    return parsePath(text, node.range, this.context.vocabulary, this.reader.problems);
  }

  alphabet(): "tools" | "rule" | "all" {
    this.reader.tell("alphabet", { is: "words", words: ["tools", "rule", "all"] });
    const node = this.reader.get("alphabet");
    return node === null
      ? "tools"
      : (readWord(node, '"alphabet"', ["tools", "rule", "all"] as const, this.reader.problems) ?? "tools");
  }
}
