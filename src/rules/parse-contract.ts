/** One contract file: its head, its tools and its rules, as far as they can be read without the other files. */
import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import type { Commutes } from "./commuting.ts";
import { Definitions } from "./definitions.ts";
import type { EffectLedger } from "./ledger.ts";
import { type MapReader, readMap, readText } from "./map-reader.ts";
import { parseCommutes } from "./parse-commutes.ts";
import { checkDefinitions, type OwnDefinitions } from "./parse-definitions.ts";
import { parseLedgers } from "./parse-ledger.ts";
import type { Vocabulary } from "./parse-path.ts";
import { parsePrerequisites } from "./parse-prerequisites.ts";
import { type Draft, parseRules, type RuleContext } from "./parse-rule.ts";
import { nameTest } from "./parse-test.ts";
import { type DeclaredTool, parseTools } from "./parse-tools.ts";
import type { ValueTest } from "./pattern.ts";
import { type Reviewed, readReviewed } from "./reviewed.ts";
import type { AppliesTest, ToolTraits } from "./rule.ts";
import type { ProblemList } from "./rule-error.ts";

export interface ContractHead {
  readonly name: string;
  readonly nameRange: Range;
  readonly description: string | null;
  readonly owner: string | null;
  readonly runbook: string | null;
  readonly appliesTo: readonly AppliesTest[];
  readonly hasAppliesTo: boolean;
  readonly tools: readonly DeclaredTool[];
  readonly kinds: readonly string[];
  readonly fields: readonly string[];
  readonly reader: MapReader;
  readonly problems: ProblemList;
  /** Only included by others: its definitions and tools count, nothing else. */
  readonly isLibrary: boolean;
  readonly definitions: {
    readonly own: OwnDefinitions;
    /** With those of the files that it includes. */
    readonly joined: OwnDefinitions;
  };
  /** Tools that its entries of `commutes` name; filled as they are read, before the rules. */
  readonly mentioned: Mentioned[];
  /** Its effect ledgers; filled as its rules are read. */
  readonly ledgers: EffectLedger[];
  /** Names of tools that this file, or one that it includes, declares. */
  readonly toolNames: readonly string[];
  /** `reviewed: {on}`: its day, where it has one. */
  readonly reviewed: Reviewed | null;
  readonly policy: string | null;
}

/** A tool that a pattern names. */
export interface Mentioned {
  readonly name: string;
  readonly range: Range;
}

/** Names that a contract declares; read first, since every file may use the words of every other. */
export interface Declared {
  readonly kinds: readonly string[];
  readonly fields: readonly string[];
}

export function parseDeclared(reader: MapReader, problems: ProblemList): Declared {
  return { kinds: readNames(reader, "kinds", problems), fields: readNames(reader, "fields", problems) };
}

function readNames(reader: MapReader, key: string, problems: ProblemList): readonly string[] {
  return (reader.list(key) ?? []).flatMap((item) => {
    const name = readText(item, `an entry of "${key}"`, problems);
    if (name === null) return [];
    if (/^[A-Za-z_][\w-]*$/.test(name)) return [name];
    problems.error(
      item.range,
      "bad-name",
      `"${name}" cannot be a name in "${key}"`,
      "Use letters, digits, _ and -, beginning with a letter.",
    );
    return [];
  });
}

/** The file names the contract where the contract does not. */
export function parseHead(
  reader: MapReader,
  declared: Declared,
  vocabulary: Vocabulary,
  problems: ProblemList,
  isLibrary: boolean,
): Omit<ContractHead, "definitions" | "toolNames" | "mentioned" | "ledgers"> {
  const named = reader.get("contract");
  const name = reader.label("contract") ?? nameOfFile(problems.file);
  if (named === null && !isLibrary) {
    problems.warn(
      reader.node.range,
      "contract-unnamed",
      `the contract has no name, and is called "${name}" after its file`,
      "Add contract: a name; metrics and alerts carry it.",
    );
  }
  return {
    name,
    nameRange: named?.range ?? reader.node.range,
    description: reader.text("description"),
    owner: reader.text("owner"),
    runbook: readLink(reader, "runbook", problems),
    hasAppliesTo: reader.has("applies_to"),
    appliesTo: readAppliesTo(reader, problems),
    tools: parseTools(reader.get("tools"), vocabulary, problems),
    kinds: declared.kinds,
    fields: declared.fields,
    reader,
    problems,
    isLibrary,
    reviewed: readReviewed(reader, problems),
    policy: readLink(reader, "policy", problems),
  };
}

/** Links are shown to people to click on, so only web addresses. */
function readLink(reader: MapReader, key: string, problems: ProblemList): string | null {
  const text = reader.text(key);
  if (text === null || /^https?:\/\/[^\s/]/i.test(text)) return text;
  problems.error(
    reader.get(key)?.range ?? reader.node.range,
    "bad-link",
    `"${key}" must be an http or https address`,
    `Write ${key}: https://…`,
  );
  return null;
}

const appliesKeys = ["service", "agent", "environment"] as const;

function readAppliesTo(outer: MapReader, problems: ProblemList): readonly AppliesTest[] {
  const node = outer.get("applies_to");
  const reader = node === null ? null : readMap(node, '"applies_to"', problems);
  if (reader === null) return [];
  const tests: AppliesTest[] = [];
  for (const key of reader.node.entries.keys()) {
    const isResource = key.startsWith("resource.") && key.length > "resource.".length;
    if (!isResource && !appliesKeys.some((known) => known === key)) continue;
    const value = reader.get(key);
    const test = value === null ? null : appliesTest(value, key, problems);
    // A resource attribute is kept beside the span's own, under this name.
    if (test !== null) tests.push({ path: isResource ? ["attr", ...key.split(".")] : [key], test });
  }
  for (const key of [...appliesKeys, "resource.<attribute>"]) reader.get(key);
  reader.done();
  const agent = reader.node.entries.get("agent");
  if (agent !== undefined) {
    problems.warn(
      agent.keyRange,
      "applies-to-agent",
      "the span that names the agent usually arrives last, so nothing of this contract is published before the run ends",
      "Use service, or have the tool spans carry the agent's name.",
    );
  }
  if (reader.node.entries.size === 0) {
    problems.error(
      reader.node.range,
      "empty-map",
      '"applies_to" names nothing',
      "Name a service or an agent, or remove it.",
    );
  }
  return tests;
}

function appliesTest(node: SourceNode, key: string, problems: ProblemList): ValueTest | null {
  const items = node.is === "list" ? node.items : [node];
  const tests = items.flatMap((item) => {
    const text = readText(item, `"${key}"`, problems);
    const test = text === null ? null : nameTest(text, item.range, problems);
    return test === null ? [] : [test];
  });
  const [only] = tests;
  if (only === undefined || tests.length < items.length) return null;
  return tests.length === 1 ? only : { op: "one_of", tests };
}

export function nameOfFile(file: string): string {
  const base = file.replace(/\\/g, "/").split("/").at(-1) ?? "";
  return base.replace(/(?:\.(?:rules|contract))?\.(?:ya?ml|json)$/i, "") || "contract";
}

const sections = [
  ["ordering", "ordering"],
  ["conditional_ordering", "conditional_ordering"],
  ["state_machines", "machine"],
  ["rules", null],
] as const;

/** What makes a file a contract: its name, or rules. */
export const contractKeys: readonly string[] = [
  "contract",
  "prerequisites",
  "effects",
  ...sections.map(([key]) => key),
];

/** What a file declares to commute, whichever rule asks (docs/causality.md). */
export function readCommutes(head: ContractHead, vocabulary: Vocabulary): readonly Commutes[] {
  const { reader, problems, mentioned } = head;
  if (head.isLibrary) {
    reader.get("commutes");
    return [];
  }
  return parseCommutes(reader, {
    vocabulary,
    problems,
    definitions: new Definitions(head.definitions.joined, problems),
    mention: (name, range) => mentioned.push({ name, range }),
  });
}

/** Every rule of a file that could be read. */
export function parseContractRules(
  head: ContractHead,
  shared: {
    readonly vocabulary: Vocabulary;
    readonly tools: ReadonlyMap<string, ToolTraits>;
    readonly commutes: readonly Commutes[];
    readonly plainNumbersAreMilliseconds: boolean;
  },
): readonly Draft[] {
  const { reader, problems } = head;
  const mentioned: Mentioned[] = [...head.mentioned];
  const { own, joined } = head.definitions;
  const context: RuleContext = {
    ...shared,
    definitions: new Definitions(joined, problems),
    problems,
    mention: (name, range) => mentioned.push({ name, range }),
  };
  if (head.isLibrary) {
    // Of a file that is only included the rules are somebody else's.
    for (const key of [...sections.map(([section]) => section), "prerequisites", "effects"]) reader.get(key);
    checkDefinitions(own, context);
    reader.done();
    return [];
  }
  const effects = parseLedgers(reader.list("effects") ?? [], head.name, context);
  const drafts = [
    ...sections.flatMap(([key, kind]) =>
      (reader.list(key) ?? []).flatMap((item) => parseRules(item, kind, context)),
    ),
    ...parsePrerequisites(reader, context),
    ...effects.drafts,
  ];
  head.ledgers.push(...effects.ledgers);
  checkDefinitions(own, context);
  reader.done();
  if (drafts.length === 0 && !problems.hasErrors) {
    problems.warn(reader.node.range, "no-rules", "the contract has no rules", "Add rules: or ordering:.");
  }
  warnUnknownTools(head, mentioned);
  return drafts;
}

function warnUnknownTools(head: ContractHead, mentioned: readonly Mentioned[]): void {
  const declared = head.toolNames;
  if (declared.length === 0) return;
  const known = new Set(declared);
  for (const { name, range } of mentioned) {
    if (known.has(name)) continue;
    known.add(name);
    head.problems.warn(
      range,
      "unknown-tool",
      `no tool named "${name}" is declared in this file`,
      `${didYouMean(name, declared)}Otherwise add it under tools.`,
    );
  }
}
