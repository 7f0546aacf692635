/**
 * Contracts from text to what the kernels judge by. Everything that is wrong in any file is found in one go,
 * with its place; with one error nothing is loaded, since half a set of contracts is a weaker one.
 *
 * Three passes, because files may use each other's words: what each declares, then heads and tools, then
 * rules. Pure and deterministic; never throws, whatever the text.
 */
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem, Range } from "../model/load-error.ts";
import { parseYaml } from "../source/yaml-source.ts";
import { canonical, revisionOf } from "./canonical.ts";
import { checkRules } from "./check-rules.ts";
import type { Commutes } from "./commuting.ts";
import { closureOf, type Included, includedFile, readIncludes } from "./includes.ts";
import { type MapReader, readMap } from "./map-reader.ts";
import {
  type ContractHead,
  contractKeys,
  type Declared,
  parseContractRules,
  parseDeclared,
  parseHead,
  readCommutes,
} from "./parse-contract.ts";
import { joinDefinitions, readDefinitions } from "./parse-definitions.ts";
import type { Vocabulary } from "./parse-path.ts";
import type { Draft } from "./parse-rule.ts";
import { agree, isBare } from "./parse-tools.ts";
import type { Pattern } from "./pattern.ts";
import { kindsOf, projectionOf, readsOf } from "./reads.ts";
import type { Contract, Rule, RuleSet, ToolTraits } from "./rule.ts";
import { type KeyListener, ProblemList, sortProblems } from "./rule-error.ts";
import { ruleId } from "./rule-id.ts";
import { builtInFields, builtInKinds } from "./words.ts";

export interface LoadOptions {
  /** Kinds that mappings make, or that the events of a case file use. */
  readonly declaredKinds?: Iterable<string>;
  /** Fields that mappings fill, or that the events of a case file carry. */
  readonly declaredFields?: Iterable<string>;
  /** Case files: a number without a unit is milliseconds. Elsewhere it is an error. */
  readonly plainNumbersAreMilliseconds?: boolean;
  /** `check` and `test` keep whole arguments and results, for their reports. */
  readonly keepEverything?: boolean;
  /** Told every key that is read, for the schema of contracts. */
  readonly onKey?: KeyListener;
}

export interface Loaded {
  /** null when any problem is an error. */
  readonly set: RuleSet | null;
  /** Errors and warnings, in the order of the files and by place. */
  readonly problems: readonly LoadProblem[];
}

export function loadContracts(sources: readonly ContractSource[], options: LoadOptions = {}): Loaded {
  const lists = sources.map((source) => new ProblemList(source.file, options.onKey ?? null));
  const read = sources.flatMap((source, index): readonly ReadFile[] => {
    const problems = lists[index];
    const reader = problems === undefined ? null : readFile(source, problems);
    return reader === null
      ? []
      : [
          {
            reader,
            isLibrary: source.included === true || isBareLibrary(reader),
            includes: readIncludes(reader),
          },
        ];
  });
  const readers = read.map(({ reader }) => reader);
  const declared = readers.map((reader) => parseDeclared(reader, reader.problems));
  const declaredKinds = new Set([
    ...declared.flatMap(({ kinds }) => kinds),
    ...(options.declaredKinds ?? []),
  ]);
  const declaredFields = new Set([
    ...declared.flatMap(({ fields }) => fields),
    ...(options.declaredFields ?? []),
  ]);
  const vocabulary: Vocabulary = {
    kinds: new Set([...builtInKinds, ...declaredKinds]),
    fields: new Set([...builtInFields, ...declaredFields]),
  };
  const heads = headsOf(read, declared, vocabulary);
  refuseSameName(heads.filter(({ isLibrary }) => !isLibrary));
  const tools = mergeTools(heads);
  const plainNumbersAreMilliseconds = options.plainNumbersAreMilliseconds ?? false;
  const commutesOf = new Map(heads.map((head) => [head, readCommutes(head, vocabulary)]));
  const commutes = [...commutesOf.values()].flat();
  const contracts = heads.flatMap((head) => {
    const drafts = parseContractRules(head, { vocabulary, tools, commutes, plainNumbersAreMilliseconds });
    if (head.isLibrary) return [];
    checkRules(head, drafts);
    return [contractOf(head, drafts, commutesOf.get(head) ?? [])];
  });
  const problems = sortProblems(
    lists.flatMap((list) => list.all),
    sources.map((source) => source.file),
  );
  if (problems.some((problem) => problem.level === "error")) return { set: null, problems };
  const rules = contracts.flatMap((contract) => contract.rules);
  const appliesTo = contracts.flatMap((contract) => contract.appliesTo);
  const ledgers = contracts.flatMap((contract) => contract.ledgers);
  return {
    set: {
      contracts,
      tools,
      commutes,
      ledgers,
      declaredKinds,
      declaredFields,
      projection: projectionOf(
        rules,
        { tools, commutes, ledgers, appliesTo },
        options.keepEverything ?? false,
      ),
      revision: revisionOf(contracts.map(judgedPart)),
    },
    problems,
  };
}

interface ReadFile extends Included {
  readonly isLibrary: boolean;
}

/** Neither a name nor rules, but something to share: it stands among contracts for others to include. */
function isBareLibrary({ node }: MapReader): boolean {
  return !contractKeys.some((key) => node.entries.has(key)) && node.entries.has("define");
}

/** The head of every file, with what the files that it includes bring. */
function headsOf(
  read: readonly ReadFile[],
  declared: readonly Declared[],
  vocabulary: Vocabulary,
): readonly ContractHead[] {
  // Sources are called as they were named, includes by path: both are written the same way here.
  const files = new Map(read.map((file) => [includedFile("", file.reader.problems.file), file]));
  const own = read.map(({ reader, isLibrary }, index) => ({
    ...parseHead(
      reader,
      declared[index] ?? { kinds: [], fields: [] },
      vocabulary,
      reader.problems,
      isLibrary,
    ),
    own: readDefinitions(reader),
  }));
  const byReader = new Map(own.map((head) => [head.reader, head]));
  return own.map(({ own: definitions, ...head }, index): ContractHead => {
    const file = read[index];
    const others =
      file === undefined ? [] : closureOf(file, files).flatMap(({ reader }) => byReader.get(reader) ?? []);
    const at = head.reader.get("include")?.range ?? head.reader.node.range;
    const joined = joinDefinitions(
      head.reader,
      definitions,
      others.map((other) => other.own),
      at,
    );
    const toolNames = [head, ...others].flatMap(({ tools }) => tools.map(({ name }) => name));
    return { ...head, definitions: { own: definitions, joined }, toolNames, mentioned: [], ledgers: [] };
  });
}

function readFile(source: ContractSource, problems: ProblemList): MapReader | null {
  const { root, problems: found } = parseYaml(source.text);
  for (const problem of found)
    problems.unreadableAt(problem.range, problem.code, problem.message, problem.advice);
  if (root !== null) return readMap(root, "a contract", problems);
  if (found.length === 0) {
    problems.error(
      { line: 1, column: 1, length: 1 },
      "empty-file",
      "the file is empty",
      "Write a contract: contract: a name, then ordering: or rules:.",
    );
  }
  return null;
}

const placeOf = (file: string, range: Range): string => `${file}:${range.line}:${range.column}`;

function refuseSameName(heads: readonly ContractHead[]): void {
  const first = new Map<string, ContractHead>();
  for (const head of heads) {
    const earlier = first.get(head.name);
    if (earlier === undefined) {
      first.set(head.name, head);
      continue;
    }
    head.problems.error(
      head.nameRange,
      "duplicate-contract",
      `the contract name "${head.name}" is taken by ${placeOf(earlier.problems.file, earlier.nameRange)}`,
      "Give each contract its own name; metrics and alerts tell them apart by it.",
    );
  }
}

/** The traits of every tool over all files. A file that only lists a name says nothing about its traits. */
function mergeTools(heads: readonly ContractHead[]): ReadonlyMap<string, ToolTraits> {
  const merged = new Map<string, { traits: ToolTraits; place: string }>();
  for (const head of heads) {
    for (const { name, traits, range } of head.tools) {
      const known = merged.get(name);
      if (known !== undefined && !agree(known.traits, traits)) {
        head.problems.error(
          range,
          "conflicting-traits",
          `the tool "${name}" has other traits here than in ${known.place}`,
          "Make the two alike, or give the traits in one file and only the name in the other.",
        );
      } else if (known === undefined || isBare(known.traits)) {
        merged.set(name, { traits, place: placeOf(head.problems.file, range) });
      }
    }
  }
  return new Map([...merged].map(([name, { traits }]) => [name, traits]));
}

function contractOf(head: ContractHead, drafts: readonly Draft[], commutes: readonly Commutes[]): Contract {
  const taken = new Set(drafts.flatMap((draft) => (draft.id === null ? [] : [draft.id])));
  const rules = drafts.map((draft): Rule => {
    const id = draft.id ?? ruleId(draft.rule.kind, draft.subjects, taken);
    const rule = {
      ...draft.rule,
      contract: head.name,
      id,
      kinds: kindsOf(draft.rule.program),
      reads: readsOf(draft.rule.program, draft.rule.scope),
      file: head.problems.file,
    };
    return { ...rule, revision: revisionOf(judgedRule(rule)) };
  });
  return {
    name: head.name,
    file: head.problems.file,
    description: head.description,
    owner: head.owner,
    runbook: head.runbook,
    policy: head.policy,
    reviewed: head.reviewed === null ? null : { by: head.reviewed.by, on: head.reviewed.on },
    appliesTo: head.appliesTo,
    participants: head.hasAppliesTo ? [] : distinct(drafts.flatMap((draft) => draft.patterns)),
    tools: new Map(head.tools.map(({ name, traits }) => [name, traits])),
    commutes,
    ledgers: head.ledgers,
    rules,
  };
}

function distinct(patterns: readonly Pattern[]): readonly Pattern[] {
  return [...new Map(patterns.map((pattern) => [canonical(pattern), pattern])).values()];
}

/** What of a rule decides verdicts and what they lead to; headings, reasons and places do not. */
function judgedRule(rule: Omit<Rule, "revision">): unknown {
  const {
    title: _title,
    why: _why,
    since: _since,
    expected: _expected,
    file: _file,
    range: _range,
    ...judged
  } = rule;
  return judged;
}

function judgedPart(contract: Contract): unknown {
  const { name, appliesTo, participants, tools, commutes, ledgers, rules } = contract;
  const judged = { name, appliesTo, participants, tools, commutes, ledgers };
  return { ...judged, rules: rules.map((rule) => rule.revision) };
}
