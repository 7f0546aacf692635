/**
 * Files that contracts include: definitions and tools of others, never their rules. Paths are relative to the file
 * that names them. Which files there are the caller says: nothing is read here.
 */
import type { Range } from "../model/load-error.ts";
import { parseYaml, type SourceNode } from "../source/yaml-source.ts";
import type { MapReader } from "./map-reader.ts";
import { readText } from "./map-reader.ts";

/** The file that `path` in `from` names, as its source is called. */
export function includedFile(from: string, path: string): string {
  const slashed = path.replace(/\\/g, "/");
  const folder = from.replace(/\\/g, "/").split("/").slice(0, -1);
  if (/^(?:\/|[A-Za-z]:\/)/.test(slashed)) return normal(slashed.split("/"));
  return normal([...folder, ...slashed.split("/")]);
}

function normal(parts: readonly string[]): string {
  const kept: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part === "." || (part === "" && index > 0)) continue;
    const last = kept.at(-1);
    if (part === ".." && last !== undefined && last !== ".." && last !== "") kept.pop();
    else kept.push(part);
  }
  return kept.join("/");
}

export interface IncludeEntry {
  readonly file: string;
  readonly range: Range;
}

export function readIncludes(reader: MapReader): readonly IncludeEntry[] {
  const { problems } = reader;
  return (reader.list("include") ?? []).flatMap((item) => {
    const path = readText(item, 'an entry of "include"', problems);
    if (path === null) return [];
    if (!/^[a-z][\w+.-]+:\/\//i.test(path))
      return [{ file: includedFile(problems.file, path), range: item.range }];
    problems.error(
      item.range,
      "missing-include",
      `"${path}" is an address, not a file`,
      "Include files that are deployed with the contract.",
    );
    return [];
  });
}

/** The files that a text includes, for whoever reads them; empty where the text is not even a map. */
export function includesOf(file: string, text: string): readonly string[] {
  const { root } = parseYaml(text);
  const list = root?.is === "map" ? root.entries.get("include")?.value : undefined;
  const items: readonly SourceNode[] = list?.is === "list" ? list.items : [];
  return items.flatMap((item) =>
    item.is === "scalar" && typeof item.value === "string" && !item.text.includes("://")
      ? [includedFile(file, item.text)]
      : [],
  );
}

export interface Included {
  readonly reader: MapReader;
  readonly includes: readonly IncludeEntry[];
}

/** Every file that one includes, directly or through others, each once, the file itself left out. */
export function closureOf(file: Included, files: ReadonlyMap<string, Included>): readonly Included[] {
  const found = new Set<Included>();
  const walk = (at: Included, way: readonly Included[]): void => {
    for (const { file: name, range } of at.includes) {
      const { problems } = at.reader;
      const next = files.get(name);
      if (next === undefined) {
        problems.error(
          range,
          "missing-include",
          `the included file ${name} is not there`,
          "Correct the path: it is relative to the file that includes.",
        );
      } else if (way.includes(next)) {
        const names = [...way.slice(way.indexOf(next)), next].map(({ reader }) => reader.problems.file);
        problems.error(
          range,
          "include-cycle",
          `files include each other: ${names.join(" → ")}`,
          "Move what both need to a file of its own.",
        );
      } else if (!found.has(next)) {
        found.add(next);
        walk(next, [...way, next]);
      }
    }
  };
  walk(file, [file]);
  found.delete(file);
  return [...found];
}
