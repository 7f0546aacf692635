/**
 * Which folder of src/ may import which: data goes one way, from bytes to metrics, and so do imports. The table
 * of CONTRIBUTING.md in code; `imports.test.ts` holds the source to it.
 */
import { posix } from "node:path";
import { type Files, withoutComments } from "../support/repository.ts";

const everyLayer = [
  ...["model", "source", "otlp", "telemetry", "timeline", "journal", "rules", "config", "processor"],
  ...["receiver", "exporter", "api"],
];

/** Folder, or file where a file may less or more than its folder → what it may import besides its own folder. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  model: [],
  source: [],
  otlp: ["model"],
  telemetry: ["model"],
  timeline: ["model"],
  journal: ["model"],
  "journal/sqlite.ts": ["model", "otlp", "config", "telemetry"],
  "journal/kafka.ts": ["model", "otlp", "config", "telemetry"],
  rules: ["model", "source"],
  config: ["model", "source"],
  processor: ["model", "rules"],
  receiver: ["model", "otlp", "config", "telemetry"],
  exporter: ["model", "otlp", "config", "telemetry", "timeline", "journal"],
  api: ["model", "otlp", "config", "telemetry", "timeline", "journal"],
  service: everyLayer,
  // What listens, exports or serves is reached through service.
  cli: [...everyLayer.filter((folder) => !["receiver", "exporter", "api"].includes(folder)), "service"],
  agent: ["model/attribute-names.ts"],
  page: ["model"],
};

/** The pure part: no clock, no I/O, no randomness. */
export const coreFolders: readonly string[] = ["model", "otlp", "rules", "processor"];

export interface Import {
  /** As written. */
  readonly specifier: string;
  readonly line: number;
}

const statement = /^(?:import|export)\s(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;
const dynamic = /\bimport\s*\(\s*(?:["'`]([^"'`]+)["'`])?/g;

/** Every module that the code names: static, side-effect and re-export statements, and `import("…")`. */
export function importsOf(code: string): readonly Import[] {
  const bare = withoutComments(code);
  const found = [...bare.matchAll(statement), ...bare.matchAll(dynamic)];
  return found.map((match) => ({
    specifier: match[1] ?? "",
    line: code.slice(0, code.indexOf(match[0])).split("\n").length,
  }));
}

/** One line a breach of the table: file, line, what it imports, what it may. */
export function breachesOfTable(files: Files): readonly string[] {
  const breaches: string[] = [];
  for (const [path, code] of files) {
    const [, folder = "", ...rest] = path.split("/");
    const allowed = importTable[`${folder}/${rest.join("/")}`] ?? importTable[folder];
    if (rest.length === 0 || allowed === undefined) {
      breaches.push(`${path}: src/${folder} is not in the import table: say there what it may import`);
      continue;
    }
    for (const { specifier, line } of importsOf(code)) {
      if (specifier === "")
        breaches.push(`${path}:${line}: an import whose target is computed cannot be held`);
      if (!specifier.startsWith(".")) continue;
      const target = posix.join(posix.dirname(path), specifier);
      const [top, toFolder = "", ...toRest] = target.split("/");
      if (top !== "src") {
        breaches.push(`${path}:${line}: imports ${target}, outside src`);
      } else if (toFolder !== folder && !allowed.includes(toFolder)) {
        if (!allowed.includes(`${toFolder}/${toRest.join("/")}`)) {
          breaches.push(`${path}:${line}: ${folder} imports ${target}, it may import: ${allowed.join(", ")}`);
        }
      }
    }
  }
  return breaches;
}

/** Packages that source imports but that an installation without dev dependencies would not have. */
export function packagesNotInstalled(files: Files, dependencies: readonly string[]): readonly string[] {
  const missing: string[] = [];
  for (const [path, code] of files) {
    for (const { specifier, line } of importsOf(code)) {
      if (specifier === "" || /^(?:\.|node:)/.test(specifier)) continue;
      const name = specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/");
      if (!dependencies.includes(name)) missing.push(`${path}:${line}: ${name} is not among dependencies`);
    }
  }
  return missing;
}
