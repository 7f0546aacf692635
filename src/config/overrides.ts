/** `--set processors.toolorder.decision_wait=1s`: one value laid over the file, at its path. */
import type { LoadProblem } from "../model/load-error.ts";
import {
  type MapEntry,
  type MapNode,
  parseYaml,
  type SourceNode,
  type SourceRange,
} from "../source/yaml-source.ts";

/** How problems name the command line as their file. */
export const setFile = "--set";

/** The text that a problem's range points into: the override itself, or the file's text. */
export const sourceOf = (file: string, text: string): string =>
  file.startsWith(`${setFile} `) ? file.slice(setFile.length + 1) : text;

export interface Overridden {
  readonly root: SourceNode;
  readonly problems: readonly LoadProblem[];
}

/** Later overrides win. The nodes laid over carry ranges in the override's own text. */
export function applyOverrides(root: SourceNode, overrides: readonly string[]): Overridden {
  const problems: LoadProblem[] = [];
  let result = root;
  for (const override of overrides) {
    const equals = override.indexOf("=");
    const path = equals < 0 ? [] : override.slice(0, equals).trim().split(".");
    if (path.length === 0 || path.includes("")) {
      problems.push({
        file: `${setFile} ${override}`,
        range: { line: 1, column: 1, length: override.length || 1 },
        code: "bad-override",
        message: `${JSON.stringify(override)} is not a path and a value`,
        advice: "Write it as --set processors.toolorder.decision_wait=1s.",
        level: "error",
      });
      continue;
    }
    const text = override.slice(equals + 1);
    const parsed = parseYaml(text);
    for (const problem of parsed.problems) {
      problems.push({ ...problem, file: `${setFile} ${override}`, level: "error" });
    }
    const range = { line: 1, column: equals + 2, length: Math.max(text.length, 1) };
    const value: SourceNode = parsed.root ?? { is: "scalar", value: null, text: "", quoted: false, range };
    const keyRange: SourceRange = { line: 1, column: 1, length: equals };
    fromCommandLine.set(range, override);
    fromCommandLine.set(keyRange, override);
    result = laidOver(result, path, moved(value, range), keyRange);
  }
  return { root: result, problems };
}

/** The override that a node came from, by its range, so that a problem in it is shown there. */
export const fromCommandLine = new WeakMap<SourceRange, string>();

function moved(node: SourceNode, range: SourceRange): SourceNode {
  switch (node.is) {
    case "scalar":
      return { ...node, range };
    case "list":
      return { ...node, range, items: node.items.map((item) => moved(item, range)) };
    case "map":
      return {
        ...node,
        range,
        entries: new Map(
          [...node.entries].map(([key, entry]) => [
            key,
            { ...entry, keyRange: range, value: moved(entry.value, range) },
          ]),
        ),
      };
  }
}

function laidOver(
  node: SourceNode | undefined,
  path: readonly string[],
  value: SourceNode,
  keyRange: SourceRange,
): SourceNode {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const map: MapNode = node?.is === "map" ? node : { is: "map", entries: new Map(), range: keyRange };
  const old = map.entries.get(key);
  const entry: MapEntry = {
    key,
    keyRange: old?.keyRange ?? keyRange,
    value: laidOver(old?.value, rest, value, keyRange),
  };
  return { ...map, entries: new Map(map.entries).set(key, entry) };
}
