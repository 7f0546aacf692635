/**
 * Reads one map of a contract key by key. Each key that is asked for is known; `done` reports every other key
 * with the nearest known one, so no list of allowed keys has to be kept beside the code that reads them.
 *
 * A reader returns null or the fallback both for a key that is not there and for one that is wrong; a wrong
 * one has been reported, which keeps the file from loading.
 */
import type { Range } from "../model/load-error.ts";
import { type DurationNano, milliseconds, parseDuration } from "../model/time.ts";
import { didYouMean } from "../source/suggest.ts";
import type { MapEntry, MapNode, SourceNode } from "../source/yaml-source.ts";
import type { KeyShape, ProblemList } from "./rule-error.ts";

/** Metric systems cut or refuse longer labels. */
const maxLabel = 200;

export class MapReader {
  readonly node: MapNode;
  readonly problems: ProblemList;
  private readonly what: string;
  private readonly asked = new Set<string>();

  /** `what` names the map in messages: "a rule of kind gate". */
  constructor(node: MapNode, what: string, problems: ProblemList) {
    this.node = node;
    this.what = what;
    this.problems = problems;
  }

  entry(key: string): MapEntry | null {
    this.asked.add(key);
    this.tell(key, { is: "any" });
    return this.node.entries.get(key) ?? null;
  }

  /** Says more about a key than that it is read. */
  tell(
    key: string,
    shape: KeyShape,
    more: { readonly required?: boolean; readonly synonyms?: readonly string[] } = {},
  ): void {
    const { required = false, synonyms = [] } = more;
    this.problems.onKey?.({ map: this.what, key, shape, required, synonyms });
  }

  get(key: string): SourceNode | null {
    return this.entry(key)?.value ?? null;
  }

  has(key: string): boolean {
    return this.entry(key) !== null;
  }

  /** Where to point for a key: at the key if it is there, else at the map. */
  rangeOf(key: string): Range {
    return this.node.entries.get(key)?.keyRange ?? this.node.range;
  }

  require(key: string, advice: string): SourceNode | null {
    const value = this.get(key);
    this.tell(key, { is: "any" }, { required: true });
    if (value === null) {
      this.problems.error(this.node.range, "missing-key", `${this.what} needs the key "${key}"`, advice);
    }
    return value;
  }

  /** Any scalar as text: `007` and `"007"` are both `007`. */
  text(key: string): string | null {
    this.tell(key, { is: "text" });
    const value = this.get(key);
    return value === null ? null : readText(value, `"${key}"`, this.problems);
  }

  /** Text that becomes a metric label and a heading: one line, not a page. */
  label(key: string): string | null {
    const text = this.text(key);
    if (text === null || (text.length <= maxLabel && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text))) return text;
    this.problems.error(
      this.get(key)?.range ?? this.node.range,
      "bad-name",
      `"${key}" must be one line of at most ${maxLabel} characters`,
      "Shorten it; explanations go under why or description.",
    );
    return null;
  }

  word<T extends string>(key: string, words: readonly T[]): T | null {
    this.tell(key, { is: "words", words });
    const value = this.get(key);
    return value === null ? null : readWord(value, `"${key}"`, words, this.problems);
  }

  boolean(key: string): boolean | null {
    this.tell(key, { is: "boolean" });
    const value = this.get(key);
    if (value === null) return null;
    if (value.is === "scalar" && typeof value.value === "boolean") return value.value;
    this.problems.error(
      value.range,
      "wrong-type",
      `"${key}" must be true or false`,
      "Write true or false, without quotes.",
    );
    return null;
  }

  wholeNumber(key: string, least: number): number | null {
    this.tell(key, { is: "number", least });
    const value = this.get(key);
    if (value === null) return null;
    if (value.is === "scalar" && Number.isSafeInteger(value.value) && Number(value.value) >= least) {
      return Number(value.value);
    }
    this.problems.error(
      value.range,
      "wrong-type",
      `"${key}" must be a whole number, ${least} or more`,
      `Write for example ${key}: ${Math.max(least, 1)}.`,
    );
    return null;
  }

  duration(key: string, plainNumbersAreMilliseconds: boolean): DurationNano | null {
    this.tell(key, { is: "duration" });
    const value = this.get(key);
    return value === null
      ? null
      : readDuration(value, `"${key}"`, plainNumbersAreMilliseconds, this.problems);
  }

  list(key: string): readonly SourceNode[] | null {
    this.tell(key, { is: "list" });
    const value = this.get(key);
    if (value === null) return null;
    if (value.is === "list") return value.items;
    this.problems.error(
      value.range,
      "wrong-type",
      `"${key}" must be a list`,
      `Write ${key}: [ … ], or one entry a line with "- ".`,
    );
    return null;
  }

  /** Reports every key that nobody asked for. */
  done(): void {
    for (const entry of this.node.entries.values()) {
      if (this.asked.has(entry.key)) continue;
      this.problems.error(
        entry.keyRange,
        "unknown-key",
        `${this.what} has no key "${entry.key}"`,
        `${didYouMean(entry.key, this.asked)}It takes: ${[...this.asked].join(", ")}.`,
      );
    }
  }
}

export function readMap(node: SourceNode, what: string, problems: ProblemList): MapReader | null {
  if (node.is === "map") return new MapReader(node, what, problems);
  problems.error(
    node.range,
    "wrong-type",
    `${what} must be a map, not ${describe(node)}`,
    "Write key: value pairs, or { key: value, … }.",
  );
  return null;
}

export function readText(node: SourceNode, what: string, problems: ProblemList): string | null {
  if (node.is === "scalar" && node.value !== null && node.text.trim() !== "") return node.text;
  problems.error(
    node.range,
    "wrong-type",
    `${what} must be text, not ${describe(node)}`,
    "Write a word or a text in quotes.",
  );
  return null;
}

export function readWord<T extends string>(
  node: SourceNode,
  what: string,
  words: readonly T[],
  problems: ProblemList,
): T | null {
  const given = node.is === "scalar" ? node.text : null;
  const word = words.find((candidate) => candidate === given);
  if (word !== undefined) return word;
  problems.error(
    node.range,
    "unknown-word",
    `${what} is ${given === null ? describe(node) : `"${given}"`}, which it cannot be`,
    `${given === null ? "" : didYouMean(given, words)}Use one of: ${words.join(", ")}.`,
  );
  return null;
}

export function readDuration(
  node: SourceNode,
  what: string,
  plainNumbersAreMilliseconds: boolean,
  problems: ProblemList,
): DurationNano | null {
  if (node.is === "scalar") {
    if (
      typeof node.value === "number" &&
      plainNumbersAreMilliseconds &&
      node.value >= 0 &&
      Number.isFinite(node.value)
    ) {
      return milliseconds(node.value);
    }
    const duration = typeof node.value === "string" ? parseDuration(node.value) : null;
    if (duration !== null) return duration;
  }
  const bare = node.is === "scalar" && typeof node.value === "number" && node.value >= 0;
  problems.error(
    node.range,
    "bad-duration",
    bare ? `${what} is a number without a unit` : `${what} is not a duration: ${describe(node)}`,
    bare
      ? `Write the unit: ${node.text}s, ${node.text}ms or ${node.text}m.`
      : "Write a number and a unit (ns, us, ms, s, m, h, d), such as 30s or 1h30m.",
  );
  return null;
}

export function describe(node: SourceNode): string {
  if (node.is === "list") return "a list";
  if (node.is === "map") return "a map";
  if (node.value === null) return "nothing";
  return typeof node.value === "string"
    ? `the text "${shorten(node.text)}"`
    : `${typeof node.value} ${node.text}`;
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);
