/** Messages that a span spells out as one attribute a leaf: `llm.output_messages.0.message.role` and the like. */
import type { Value, ValueObject } from "../../model/value.ts";
import { type Message, readMessages } from "./messages.ts";
import type { View } from "./view.ts";

interface Tree {
  [key: string]: Tree | Value;
}

/** No real message has more parts; a longer index is a number that happens to stand in a key. */
const largestIndex = 10_000;

/**
 * Builds the messages under a prefix; undefined when there are none. `rename` says how a leaf's path reads in
 * a message (`message.tool_calls.0.tool_call.function.name` → `tool_calls.0.function.name`).
 */
export function indexedMessages(
  view: View,
  prefix: string,
  rename: (path: readonly string[]) => readonly string[],
): readonly Message[] | undefined {
  return view.memo(`indexed:${prefix}`, () => {
    const root: Tree = Object.create(null);
    let found = false;
    for (const [key, value] of view.span.attributes) {
      if (!key.startsWith(prefix)) continue;
      const [index, ...path] = key.slice(prefix.length).split(".");
      if (index === undefined || !isIndex(index)) continue;
      if (plant(root, [index, ...rename(path)], value)) found = true;
    }
    return found ? readMessages(harvest(root)) : undefined;
  });
}

function isIndex(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= largestIndex;
}

function plant(root: Tree, path: readonly string[], value: Value): boolean {
  if (path.length > 12) return false;
  let node = root;
  for (const segment of path.slice(0, -1)) {
    const next = node[segment];
    if (next !== undefined && !isTree(next)) return false;
    if (next === undefined) node[segment] = Object.create(null);
    node = node[segment] as Tree;
  }
  const leaf = path.at(-1);
  if (leaf === undefined || isTree(node[leaf])) return false;
  node[leaf] = value;
  return true;
}

/** Trees are the only objects without a prototype here; attribute values are leaves. */
function isTree(value: Tree | Value | undefined): value is Tree {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

function harvest(node: Tree | Value): Value {
  if (!isTree(node)) return node;
  const keys = Object.keys(node);
  if (keys.length > 0 && keys.every(isIndex)) {
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => harvest(node[key] ?? null));
  }
  const object: Record<string, Value> = Object.create(null);
  for (const key of keys) object[key] = harvest(node[key] ?? null);
  return object satisfies ValueObject;
}
