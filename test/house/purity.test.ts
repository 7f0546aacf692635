/**
 * The core answers the same for the same entries on every machine at every time: it may ask no clock, no
 * system, no chance and no locale. Words are enough to hold that, since nothing here hides what it calls.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Files, isTypeScript, readFiles, withoutComments } from "../support/repository.ts";
import { coreFolders, importsOf } from "./import-table.ts";

const forbidden: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: "the clock",
    pattern:
      /\bDate\.now\b|\bnew Date\(\s*\)|(?<!\.|new )\bDate\(|\bperformance\.|\bhrtime\b|\bTemporal\.Now\b/,
  },
  { what: "timers", pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\b/ },
  { what: "chance", pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/ },
  { what: "the process", pattern: /\bprocess\.|\bglobalThis\b/ },
  { what: "I/O", pattern: /\bconsole\.|\bfetch\(/ },
  // Order and text that depend on the machine's locale or time zone.
  {
    what: "the locale",
    pattern:
      /\.localeCompare\(|\.toLocale\w+\(|\bIntl\.|\.get(?:Hours|Minutes|Day|Date|Month|FullYear|TimezoneOffset)\(/,
  },
  { what: "waiting", pattern: /\basync\b|\bawait\b|\bnew Promise\b/ },
];

/** Modules of Node that only compute. */
const pureModules = new Set(["node:crypto", "node:buffer", "node:util", "node:path/posix"]);

function impurities(files: Files): readonly string[] {
  const found: string[] = [];
  for (const [path, code] of files) {
    if (!coreFolders.includes(path.split("/")[1] ?? "")) continue;
    for (const [index, line] of withoutStrings(withoutComments(code)).split("\n").entries()) {
      for (const { what, pattern } of forbidden) {
        if (pattern.test(line))
          found.push(`${path}: ${what}: ${line.trim()} (line ${index + 1} without comments)`);
      }
    }
    for (const { specifier, line } of importsOf(code)) {
      if (specifier.startsWith("node:") && !pureModules.has(specifier))
        found.push(`${path}:${line}: ${specifier}`);
    }
  }
  return found;
}

/** Messages may say what code may not do. */
function withoutStrings(code: string): string {
  return code.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

describe("the core", () => {
  it("has no clock, no I/O, no chance and no locale", () => {
    const source = readFiles("src", isTypeScript);
    const inCore = [...source.keys()].filter((path) => coreFolders.includes(path.split("/")[1] ?? ""));
    assert.ok(inCore.length >= 15, `only ${inCore.length} files in the core`);
    assert.deepEqual(impurities(source), []);
  });

  const planted = [
    "const now = Date.now();",
    "const now = new Date();",
    "const now = performance.now();",
    "setTimeout(judge, 10);",
    "const id = crypto.randomUUID();",
    "const pick = Math.random();",
    'if (process.env.DEBUG === "1") judge();',
    'console.log("judged");',
    "names.sort((a, b) => a.localeCompare(b));",
    "export async function judge(): Promise<void> {}",
    'import { readFileSync } from "node:fs";',
    'import { createServer } from "node:http";',
  ];
  for (const line of planted) {
    it(`is searched for: ${line}`, () => {
      assert.equal(impurities(new Map([["src/rules/a.ts", `const x = 1;\n${line}\n`]])).length, 1);
      assert.equal(impurities(new Map([["src/service/a.ts", `const x = 1;\n${line}\n`]])).length, 0);
    });
  }

  const harmless = [
    "const at = Date.parse(text);",
    "const at = new Date(milliseconds).toISOString();",
    "// Date.now() would make a replay differ",
    'const advice = "call process.exit( yourself";',
    'import { createHash } from "node:crypto";',
  ];
  for (const line of harmless) {
    it(`may hold: ${line}`, () => {
      assert.deepEqual(impurities(new Map([["src/rules/a.ts", `${line}\n`]])), []);
    });
  }
});
