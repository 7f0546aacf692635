import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type CheckOptions, check } from "../../src/cli/check.ts";
import { fakeTerminal } from "./fake-terminal.ts";

export const exampleContract = "examples/customer-access/contract.yaml";
export const exampleTrace = (name: string): string => `examples/customer-access/traces/${name}`;

/** Where a rule of the example begins. */
export function exampleLine(rule: string): number {
  return (
    readFileSync(exampleContract, "utf8")
      .split("\n")
      .findIndex((line) => line.trim() === `- id: ${rule}`) + 1
  );
}

export const noAnswers = {
  approvals: null,
  today: null,
  baseline: null,
  writeBaseline: false,
  trace: false,
} as const;

/** `check` on the incident, but for what is said otherwise. */
export async function runCheck(parts: Partial<CheckOptions> = {}, color = false) {
  const fake = fakeTerminal({}, color);
  const options: CheckOptions = {
    contracts: [exampleContract],
    config: null,
    set: [],
    format: "text",
    failOn: "high",
    ...noAnswers,
    traces: [exampleTrace("incident.json")],
    ...parts,
  };
  const code = await check(options, fake.terminal);
  return { code, out: fake.out, err: fake.err, status: fake.status };
}

/** A folder that goes with the test file. */
export function workFolder(): {
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => string;
  readonly read: (name: string) => string;
  /** Without the folder in front of its files. */
  readonly bare: (text: string) => string;
} {
  const folder = mkdtempSync(join(tmpdir(), "toolorder-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    read: (name) => readFileSync(path(name), "utf8"),
    bare: (text) => text.replaceAll(`${folder}/`, ""),
  };
}

/** One rule, `r`: a good A before B. */
export const gateContract = (severity: string, more = ""): string =>
  `contract: c\nrules:\n  - {id: r, kind: gate, require: {tool: A, status: success}, before: B, severity: ${severity}${more}}\n`;

export const brokenRun = '[{"name": "B"}, {"name": "A"}]';
export const keptRun = '[{"name": "A"}, {"name": "B"}]';
export const idleRun = '[{"name": "A"}]';
/** Two clocks, thirty milliseconds: nobody can say. */
export const undecidedRun = JSON.stringify([
  { name: "A", start: 0, end: 100, host: "h1" },
  { name: "B", start: 130, end: 200, host: "h2" },
]);
