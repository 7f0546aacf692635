/** Turns what the schema found into problems with their place in the file. */
import type * as z from "zod";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode, SourceRange } from "../source/yaml-source.ts";
import { notYetCode } from "./kinds.ts";

export interface FoundProblem {
  readonly range: SourceRange;
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

type Issue = z.core.$ZodIssue;

export function problemsOf(
  issues: readonly Issue[],
  root: SourceNode,
  schema: z.ZodType,
): readonly FoundProblem[] {
  return issues.flatMap((issue): readonly FoundProblem[] => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys") {
      const known = keysAt(schema, path);
      return issue.keys.map((key) => ({
        range: keyRangeAt(root, [...path, key]),
        code: "unknown-key",
        message: `${path.length === 0 ? "the file" : path.join(".")} has no key "${key}"`,
        advice: `${didYouMean(key, known)}Known keys: ${known.join(", ")}.`,
      }));
    }
    const found = nodeAt(root, path);
    if (found === null) {
      const parent = path.slice(0, -1);
      return [
        {
          range: keyRangeAt(root, parent),
          code: "missing-key",
          message: `${parent.length === 0 ? "the file" : parent.join(".")} lacks the key "${path.at(-1)}"`,
          advice: `Add ${path.join(".")}; the repository's otel-config.yaml shows every key.`,
        },
      ];
    }
    const [message = "", advice] = issue.message.split("\n");
    const early = issue.code === "custom" && issue.params?.code === notYetCode;
    return [
      {
        range: early ? keyRangeAt(root, path) : found.range,
        code: early ? notYetCode : issue.code === "invalid_type" ? "wrong-type" : "bad-value",
        message: `${path.join(".")}: ${advice === undefined ? plainWords(issue) : message}`,
        advice: advice ?? adviceFor(issue),
      },
    ];
  });
}

const typeWords: Readonly<Record<string, string>> = {
  object: "a map of keys",
  record: "a map of keys",
  array: "a list",
  string: "text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};

function plainWords(issue: Issue): string {
  if (issue.code === "invalid_type") return `${typeWords[issue.expected] ?? issue.expected} is expected here`;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}

function adviceFor(issue: Issue): string {
  if (issue.code === "invalid_type" && issue.expected === "string") return "Quote it if it is meant as text.";
  return "The repository's otel-config.yaml shows every key with an example.";
}

function nodeAt(root: SourceNode, path: readonly string[]): SourceNode | null {
  let node: SourceNode | undefined = root;
  for (const key of path) {
    if (node?.is === "map") node = node.entries.get(key)?.value;
    else if (node?.is === "list") node = node.items[Number(key)];
    else return null;
  }
  return node ?? null;
}

/** The range of the last key that exists on the way. */
function keyRangeAt(root: SourceNode, path: readonly string[]): SourceRange {
  let node: SourceNode | undefined = root;
  let range = { line: 1, column: 1, length: 1 } as SourceRange;
  for (const key of path) {
    if (node?.is === "map") {
      const entry = node.entries.get(key);
      if (entry === undefined) break;
      range = entry.keyRange;
      node = entry.value;
    } else if (node?.is === "list") {
      node = node.items[Number(key)];
      range = node?.range ?? range;
    } else break;
  }
  return range;
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  let here: z.core.$ZodType | undefined = unwrapped(schema);
  for (const key of path) {
    const def = here?._zod.def as
      | { shape?: Record<string, z.core.$ZodType>; element?: z.core.$ZodType }
      | undefined;
    const next: z.core.$ZodType | undefined = def?.shape?.[key] ?? def?.element;
    here = next === undefined ? undefined : unwrapped(next);
  }
  const shape = (here?._zod.def as { shape?: Record<string, z.core.$ZodType> } | undefined)?.shape;
  // `unknown` is the schema of what is not in this version: known, and not to be recommended.
  return Object.entries(shape ?? {}).flatMap(([key, value]) =>
    unwrapped(value)._zod.def.type === "unknown" ? [] : [key],
  );
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrapped(inner);
}
