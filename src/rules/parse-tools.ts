import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { canonical } from "./canonical.ts";
import { type MapReader, readMap, readText } from "./map-reader.ts";
import { parsePath, type Vocabulary } from "./parse-path.ts";
import { parseTests } from "./parse-test.ts";
import type { Path, PathTest } from "./pattern.ts";
import type { Slot, ToolTraits } from "./rule.ts";
import type { ProblemList } from "./rule-error.ts";
import { statusWords } from "./words.ts";

/** Results that are no end of a call but say something about an effect. */
export const effectOutcomes: ReadonlySet<string> = new Set(["existing", "in_progress"]);

export interface DeclaredTool {
  readonly name: string;
  readonly traits: ToolTraits;
  readonly range: SourceNode["range"];
}

/** `tools:` — known names and their traits; a list of bare names is enough where there are no traits. */
export function parseTools(
  node: SourceNode | null,
  vocabulary: Vocabulary,
  problems: ProblemList,
): readonly DeclaredTool[] {
  if (node === null) return [];
  const reader = readMap(node, '"tools"', problems);
  if (reader === null) return [];
  return [...reader.node.entries.values()].map((entry) => {
    const isEmpty = entry.value.is === "scalar" && entry.value.value === null;
    const traits = isEmpty ? null : readMap(entry.value, `the tool "${entry.key}"`, problems);
    return { name: entry.key, traits: parseTraits(traits, vocabulary, problems), range: entry.keyRange };
  });
}

function parseTraits(reader: MapReader | null, vocabulary: Vocabulary, problems: ProblemList): ToolTraits {
  if (reader === null) return noTraits;
  const traits: ToolTraits = {
    access: reader.word("access", ["plain", "sensitive"]),
    effect: reader.word("effect", ["none", "read", "write", "external"]) ?? "unknown",
    resource: readResource(reader, vocabulary, problems),
    reads: reader.text("reads"),
    idempotent: reader.boolean("idempotent"),
    compensable: reader.boolean("compensable"),
    cancel: reader.text("cancel"),
    slot: readSlot(reader, vocabulary, problems),
    outcome: readOutcome(reader, vocabulary, problems),
    note: reader.text("note"),
  };
  reader.done();
  return traits;
}

const noTraits: ToolTraits = {
  access: null,
  effect: "unknown",
  resource: null,
  reads: null,
  idempotent: null,
  compensable: null,
  cancel: null,
  slot: null,
  outcome: new Map(),
  note: null,
};

function readResource(reader: MapReader, vocabulary: Vocabulary, problems: ProblemList): Path | null {
  const text = reader.text("resource");
  return text === null
    ? null
    : parsePath(text, reader.get("resource")?.range ?? reader.node.range, vocabulary, problems);
}

/** `tool`, `any`, or paths: what a later decision must ask to supersede a call of this tool. */
function readSlot(reader: MapReader, vocabulary: Vocabulary, problems: ProblemList): Slot | null {
  const node = reader.get("slot");
  reader.tell("slot", { is: "paths" });
  if (node === null) return null;
  if (node.is === "scalar" && (node.text === "tool" || node.text === "any")) return { is: node.text };
  const items = node.is === "list" ? node.items : [node];
  const paths = items.flatMap((item) => {
    const text = readText(item, '"slot"', problems);
    const path = text === null ? null : parsePath(text, item.range, vocabulary, problems);
    return path === null ? [] : [path];
  });
  return { is: "paths", paths };
}

/** `{refused: {result.status: [refused, denied]}}`: which results refine the status of a call. */
function readOutcome(
  outer: MapReader,
  vocabulary: Vocabulary,
  problems: ProblemList,
): ReadonlyMap<string, readonly PathTest[]> {
  const node = outer.get("outcome");
  const reader = node === null ? null : readMap(node, '"outcome"', problems);
  const outcome = new Map<string, readonly PathTest[]>();
  for (const entry of reader?.node.entries.values() ?? []) {
    const status = statusWords.get(entry.key) ?? (effectOutcomes.has(entry.key) ? entry.key : undefined);
    if (status === undefined) {
      const words = [...new Set([...statusWords.values(), ...effectOutcomes])];
      problems.error(
        entry.keyRange,
        "unknown-status",
        `there is no outcome "${entry.key}"`,
        `${didYouMean(entry.key, words)}Use one of: ${words.join(", ")}.`,
      );
      continue;
    }
    const tests = readMap(entry.value, `the outcome "${entry.key}"`, problems);
    if (tests === null) continue;
    const made = [...tests.node.entries.values()].flatMap((test) => {
      const path = parsePath(test.key, test.keyRange, vocabulary, problems);
      return path === null ? [] : parseTests(path, test.value, problems);
    });
    outcome.set(status, [...(outcome.get(status) ?? []), ...made]);
  }
  return outcome;
}

/** Whether two declarations of one tool say the same; a bare name says nothing and agrees with all. */
export function agree(a: ToolTraits, b: ToolTraits): boolean {
  return isBare(a) || isBare(b) || canonical(a) === canonical(b);
}

export const isBare = (traits: ToolTraits): boolean => canonical(traits) === canonical(noTraits);
