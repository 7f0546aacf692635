/** Which rules `explain` is asked about: by a rule's or a contract's name, or by a file. */
import { statSync } from "node:fs";
import type { ContractSource } from "../model/entry.ts";
import { defaultSettings } from "../model/settings.ts";
import { loadContracts } from "../rules/load.ts";
import type { Contract, Rule, RuleSet } from "../rules/rule.ts";
import { readContracts } from "../service/contract-files.ts";
import { suggest } from "../source/suggest.ts";
import { type FoundConfig, findConfig } from "./config-file.ts";
import { InputError } from "./input-error.ts";
import { showProblems } from "./show-problems.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainOptions {
  /** A rule's id, `contract/rule`, a contract's name, or a contract file, folder or glob. */
  readonly what: string;
  readonly config: string | undefined;
  readonly contracts: readonly string[];
  readonly set: readonly string[];
  readonly format: string;
}

/** What was asked for, and everything it was loaded with. */
export interface Chosen {
  readonly config: FoundConfig["config"];
  readonly set: RuleSet;
  readonly sources: readonly ContractSource[];
  readonly contracts: readonly { readonly contract: Contract; readonly rules: readonly Rule[] }[];
}

/** Null after every problem of the files was shown. */
export function loadChosen(
  { what, config, contracts, set }: Omit<ExplainOptions, "format">,
  terminal: Terminal,
): Chosen | null {
  const found = findConfig(config, set, terminal);
  if (found === null) return null;
  const isFile = namesFiles(what);
  const named = [...(isFile ? [what] : []), ...contracts];
  const { sources, problems } =
    named.length > 0
      ? readContracts(named, process.cwd())
      : readContracts(found.config.toolorder.contracts, found.base);
  const settings = found.config.toolorder.core ?? defaultSettings;
  const loaded = loadContracts(sources, settings.language);
  const errors = [
    ...problems.map((problem) => ({ ...problem, level: "error" as const })),
    ...loaded.problems.filter(({ level }) => level === "error"),
  ];
  showProblems(errors, sources, terminal);
  if (errors.length > 0 || loaded.set === null) return null;
  const own = isFile ? new Set(readContracts([what], process.cwd()).sources.map(({ file }) => file)) : null;
  const picked =
    own === null
      ? byName(loaded.set, what)
      : loaded.set.contracts
          .filter(({ file }) => own.has(file))
          .map((contract) => ({ contract, rules: inFileOrder(contract.rules) }));
  return { config: found.config, set: loaded.set, sources, contracts: picked };
}

const inFileOrder = (rules: readonly Rule[]): readonly Rule[] =>
  [...rules].sort((a, b) => a.range.line - b.range.line || a.range.column - b.range.column);

/** A path that is there, a glob, or what can only be a file. */
function namesFiles(what: string): boolean {
  return /\.ya?ml$|[*?[{]/.test(what) || statSync(what, { throwIfNoEntry: false }) !== undefined;
}

function byName(set: RuleSet, what: string): Chosen["contracts"] {
  const contract = set.contracts.find(({ name }) => name === what);
  if (contract !== undefined) return [{ contract, rules: inFileOrder(contract.rules) }];
  const picked = set.contracts.flatMap((candidate) => {
    const rules = candidate.rules.filter(({ id }) => id === what || `${candidate.name}/${id}` === what);
    return rules.length === 0 ? [] : [{ contract: candidate, rules }];
  });
  if (picked.length > 0) return picked;
  const names = set.contracts.flatMap(({ name, rules }) => [name, ...rules.map(({ id }) => id)]);
  const meant = suggest(what, names);
  throw new InputError(
    what,
    "no rule and no contract has this name",
    meant !== null
      ? `Did you mean "${meant}"?`
      : names.length === 0
        ? "No contract is loaded: name one with --contracts FILE."
        : `There are: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}.`,
  );
}
