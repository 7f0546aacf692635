import type { Terminal } from "../../src/cli/terminal.ts";

/** A terminal that remembers what was written; `readFile` is for configurations only. */
export function fakeTerminal(files: Readonly<Record<string, string>> = {}, color = false) {
  const lines = { out: [] as string[], err: [] as string[], status: [] as (string | null)[] };
  const terminal: Terminal = {
    out: (text) => void lines.out.push(text),
    err: (text) => void lines.err.push(text),
    color,
    status: (line) => void lines.status.push(line),
    errColor: color,
    readFile(path) {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return text;
    },
    env: {},
  };
  return {
    terminal,
    /** Every status line in turn; null: taken away. */
    status: lines.status as readonly (string | null)[],
    get out() {
      return lines.out.join("\n");
    },
    get err() {
      return lines.err.join("\n");
    },
  };
}
