/** Reads the traces that a command was given: files, folders, globs or standard input, whatever wrote them. */
import { expandFiles, readBytes, stem, traceFiles } from "./files.ts";
import { InputError } from "./input-error.ts";
import { progressOn } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { type LoadedTraces, readTraces } from "./traces.ts";

/** Throws an InputError where a file cannot be read, or where none of them holds anything. */
export async function loadTraces(
  patterns: readonly string[],
  terminal: Terminal,
): Promise<readonly LoadedTraces[]> {
  const loaded: LoadedTraces[] = [];
  const names = new Set<string>();
  const files = expandFiles(patterns, traceFiles);
  const progress = progressOn(terminal, "reading", "files");
  for (const file of files) {
    progress(loaded.length, files.length);
    const traces = readTraces({ name: file, bytes: await readBytes(file) }, freeName(names, stem(file)));
    for (const refused of traces.refused) terminal.err(`warning: ${file}: ${refused}`);
    loaded.push(traces);
  }
  if (loaded.every(({ spans, records, events }) => spans.length + records.length + events.length === 0)) {
    throw new InputError(
      patterns.join(" "),
      "there is no span, no log record and no event to judge",
      "Name traces that hold some: a check of nothing proves nothing.",
    );
  }
  return loaded;
}

/** Two files of one name in two folders are two runs. */
function freeName(taken: Set<string>, wanted: string): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}
