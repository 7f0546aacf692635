/** Readers of the nodes of a case file: each gives a plain value, or refuses the node with its place and the cure. */
import { suggest } from "../source/suggest.ts";
import { type MapNode, type Plain, plainValue, type SourceNode } from "../source/yaml-source.ts";
import { InputError } from "./input-error.ts";

export interface PlainMap {
  readonly [key: string]: Plain;
}

export function wordAt<T extends string>(
  file: string,
  map: MapNode,
  key: string,
  words: readonly T[],
): T | null {
  const word = nameAt(file, map, key);
  if (word === null) return null;
  const known = words.find((candidate) => candidate === word);
  if (known !== undefined) return known;
  throw problemAt(file, map, `"${word}" is no ${key}`, `Use one of ${words.join(", ")}.`);
}

export function plainAt(map: MapNode, key: string): Plain {
  const entry = map.entries.get(key);
  return entry === undefined ? null : plainValue(entry.value);
}

export function plainMapAt(file: string, map: MapNode, key: string): PlainMap {
  const entry = map.entries.get(key);
  if (entry === undefined) return {};
  mapAt(file, entry.value, `\`${key}\``);
  return plainValue(entry.value) as PlainMap;
}

export function mapsAt(file: string, map: MapNode, key: string): readonly PlainMap[] | null {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return null;
  if (node.is !== "list")
    throw problemAt(file, node, `\`${key}\` must be a list`, "Begin each entry with a dash.");
  return node.items.map((item) => {
    mapAt(file, item, `an entry of \`${key}\``);
    return plainValue(item) as PlainMap;
  });
}

/** Text, or a number as it is written: ids such as `1` are common. */
export function nameAt(file: string, map: MapNode, key: string): string | null {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return null;
  if (node.is === "scalar" && (typeof node.value === "string" || typeof node.value === "number"))
    return String(node.value);
  throw problemAt(file, node, `\`${key}\` must be text`, "Quote it.");
}

export function numberAt(file: string, map: MapNode, key: string): number | null {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return null;
  if (node.is === "scalar" && typeof node.value === "number") return node.value;
  throw problemAt(file, node, `\`${key}\` must be a number`, "Write it without quotes or a unit.");
}

export function flagAt(file: string, map: MapNode, key: string): boolean | null {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return null;
  if (node.is === "scalar" && typeof node.value === "boolean") return node.value;
  throw problemAt(file, node, `\`${key}\` must be true or false`, "Write true or false.");
}

export function textsAt(file: string, map: MapNode, key: string): readonly string[] {
  const value = plainAt(map, key);
  if (value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.every((item) => typeof item === "string")) return list;
  throw problemAt(file, map, `\`${key}\` must be a list of paths`, "Write them relative to this file.");
}

export function mapAt(file: string, node: SourceNode | null, what: string): MapNode {
  if (node?.is === "map") return node;
  const place = node === null ? file : `${file}:${node.range.line}:${node.range.column}`;
  throw new InputError(place, `${what} must be a map`, "Write key: value pairs.");
}

export function onlyKeys(file: string, map: MapNode, known: readonly string[], what: string): void {
  for (const { key, keyRange } of map.entries.values()) {
    if (known.includes(key)) continue;
    const meant = suggest(key, known);
    const hint = meant === null ? `Known keys are ${known.join(", ")}.` : `Did you mean "${meant}"?`;
    throw new InputError(
      `${file}:${keyRange.line}:${keyRange.column}`,
      `${what} has no key \`${key}\``,
      hint,
    );
  }
}

export function problemAt(file: string, node: SourceNode, cause: string, cure: string): InputError {
  return new InputError(`${file}:${node.range.line}:${node.range.column}`, cause, cure);
}
