/**
 * `effects:` — one block an effect: which calls cause it, where they say which one it is, and how strictly each check
 * is held. A block becomes an `EffectLedger`, by which effect events are made, and one rule a check.
 */
import { type Severity, severities } from "../model/verdict.ts";
import { didYouMean } from "../source/suggest.ts";
import type { MapNode, SourceNode } from "../source/yaml-source.ts";
import { type EffectLedger, effectKinds, type LedgerField, ledgerFields } from "./ledger.ts";
import { describe, MapReader, readMap, readText } from "./map-reader.ts";
import { type Draft, draftsBySeverity, type RuleContext } from "./parse-rule.ts";
import { readShared } from "./parse-shared.ts";
import { nameTest } from "./parse-test.ts";
import { anyEvent, type Pattern, type ValueTest } from "./pattern.ts";
import type { Scope } from "./rule.ts";
import { readRetryBound } from "./sugar/bounds.ts";
import {
  type CheckName,
  checkNames,
  type LedgerBlock,
  type LedgerCheck,
  ledgerChecks,
  ownEvents,
} from "./sugar/ledger.ts";
import { sameKeys } from "./sugar/past-options.ts";
import type { RuleKind } from "./sugar/rule-kind.ts";
import { RuleParts } from "./sugar/rule-parts.ts";

export interface ParsedLedgers {
  readonly ledgers: readonly EffectLedger[];
  readonly drafts: readonly Draft[];
}

export function parseLedgers(
  items: readonly SourceNode[],
  contract: string,
  context: RuleContext,
): ParsedLedgers {
  const blocks = items.flatMap((item) => {
    const reader = readMap(item, what, context.problems);
    return reader === null ? [] : (parseBlock(reader.node, contract, context) ?? []);
  });
  refuseSameId(blocks, context);
  return {
    ledgers: blocks.map(({ ledger }) => ledger),
    drafts: blocks.flatMap(({ drafts }) => drafts),
  };
}

const what = "an effect ledger";

interface Block {
  readonly id: string;
  readonly node: MapNode;
  readonly ledger: EffectLedger;
  readonly drafts: readonly Draft[];
}

function refuseSameId(blocks: readonly Block[], { problems }: RuleContext): void {
  const first = new Map<string, Block>();
  for (const block of blocks) {
    const earlier = first.get(block.id);
    if (earlier === undefined) first.set(block.id, block);
    else {
      problems.error(
        block.node.entries.get("id")?.keyRange ?? block.node.range,
        "duplicate-rule",
        `the ledger "${block.id}" already stands on line ${earlier.node.range.line}`,
        "Give each ledger its own id; its rules are called after it.",
      );
    }
  }
}

/** The kind that severities and categories of checks default by. */
const effectRule: RuleKind = { kind: "effects", category: "effect", build: () => null };

function parseBlock(node: MapNode, contract: string, context: RuleContext): Block | null {
  const { problems } = context;
  const rule = new RuleParts(
    new MapReader(node, what, problems),
    context,
    context.plainNumbersAreMilliseconds,
  );
  const { reader } = rule;
  reader.require("id", "Add id: a short name; the rules are called after it, such as enrollment.one_effect.");
  const id = reader.label("id");
  const tool = rule.pattern("tool");
  const lookup = withInside(rule, "lookup", ["by", "not_found"]);
  if (!reader.has("lookup")) {
    reader.require("lookup", "Add lookup: the tool that asks the provider what became of the effect.");
  }
  const compensation = withInside(rule, "compensation", ["by"]);
  const recheck = withInside(rule, "recheck", ["by", "void_by"]);
  const paths = Object.fromEntries(
    ledgerFields.map((field) => [field, rule.paths(field === "effect" ? "effect_id" : field)]),
  ) as unknown as Readonly<Record<LedgerField, EffectLedger["paths"][LedgerField]>>;
  if (!reader.has("key")) {
    reader.require(
      "key",
      "Add key: where the idempotency key is, such as args.idempotency_key; or key: key.",
    );
  }
  const intent = rule.optionalPattern("intent");
  const claim = rule.optionalPattern("claim");
  const finalErrors = readFinalErrors(rule);
  const deadline = reader.duration("deadline", rule.plainNumbersAreMilliseconds);
  const retry = readRetry(rule);
  const voidBy = recheck?.parts === undefined ? null : recheck.lists.get("void_by");
  const same = recheck?.parts === undefined ? [] : sameKeys(recheck.parts);
  for (const one of [lookup, compensation, recheck]) one?.parts?.reader.done();
  const scope: Scope =
    reader.word("scope", ["conversation", "session", "run", "trace"])?.match(/run|trace/) == null
      ? { is: "conversation" }
      : { is: "run" };
  const severity = reader.word("severity", severities);
  const shared = readShared(reader, context, effectRule, null, scope);
  for (const key of ["must_apply", "code", "title"])
    rule.refuse(key, "it belongs to one rule, and this is many");
  const checks = readChecks(rule, scope);
  reader.done();
  if (id === null || tool === null || lookup?.by == null) return null;
  const ledger: EffectLedger = {
    id: `${contract}.${id}`,
    contract,
    tool,
    toolName: tool.name,
    intent,
    lookup: lookup.by,
    notFound: lookup.lists.get("not_found")?.[0] ?? null,
    compensation: compensation?.by ?? null,
    claim,
    paths,
    finalErrors,
  };
  const block: LedgerBlock = {
    ledger,
    deadline,
    retry,
    recheck: recheck?.by == null ? null : { by: recheck.by, same, voidBy: voidBy ?? defaultVoids },
    refusedApart: checks.get("refused_is_not_effect") !== false,
  };
  const drafts = ledgerChecks(block).flatMap((check): readonly Draft[] => {
    const own = checks.get(check.name) ?? null;
    if (own === false) return [];
    const merged = { ...shared, ...own, code: check.code ?? null, mustApply: false };
    const given: Severity | null = own?.severity ?? severity;
    return draftsBySeverity(
      {
        rule: {
          kind: "effects",
          ...merged,
          severity: given ?? check.severity,
          scope: check.everywhere === true ? { is: "all" } : scope,
          expected: check.expected,
          pairRequired: false,
          program: check.program,
          range: node.range,
        },
        id: `${id}.${check.name}`,
        idRange: reader.rangeOf("id"),
        subjects: check.subjects,
        patterns: [takesPart(ledger)],
        proof: null,
        severityCases: block.refusedApart ? refusedCase(check, given) : [],
      },
      context,
    );
  });
  return { id, node, ledger, drafts };
}

/** A run takes part once it shows a call, a lookup or another call of the ledger, or a signal about an effect. */
function takesPart(ledger: EffectLedger): Pattern {
  const { tool, lookup, compensation, intent, claim } = ledger;
  const told: Pattern = {
    ...anyEvent,
    kinds: new Set(effectKinds),
    anyOf: ownEvents(ledger),
    text: "its events",
  };
  return {
    ...anyEvent,
    anyOf: [tool, lookup, compensation, intent, claim, told].filter((pattern) => pattern !== null),
    text: tool.text,
  };
}

const defaultVoids: readonly Pattern[] = ["resume", "version_change", "superseded"].map((kind) => ({
  ...anyEvent,
  kinds: new Set([kind]),
  text: kind,
}));

/** Never above what the check itself is held to. */
const refusedCase = ({ refused }: LedgerCheck, given: Severity | null): Draft["severityCases"] =>
  refused === undefined
    ? []
    : [
        {
          name: "refused",
          severity:
            given !== null && severities.indexOf(given) > severities.indexOf(refused) ? given : refused,
          match: {
            ...anyEvent,
            tests: [{ path: ["disposition"], test: { op: "equals", value: "refused" } }],
            text: "a refused attempt",
          },
        },
      ];

interface Inside {
  readonly by: Pattern | null;
  readonly lists: ReadonlyMap<string, readonly Pattern[]>;
  /** The map that says more; absent where a pattern alone stands there. */
  readonly parts?: RuleParts;
}

/** A pattern, or `{by: pattern, …}` with more about it. */
function withInside(rule: RuleParts, key: string, words: readonly string[]): Inside | null {
  const node = rule.reader.get(key);
  if (node === null) return null;
  const isLong = node.is === "map" && words.some((word) => node.entries.has(word));
  if (!isLong) {
    rule.reader.tell(key, { is: "pattern" });
    return { by: rule.read(node), lists: new Map() };
  }
  const parts = rule.inside(node, `"${key}"`);
  const by = parts.pattern("by");
  const lists = new Map(
    words
      .filter((word) => word !== "by" && parts.reader.has(word))
      .map((word) => [word, parts.listOf(word, (item) => parts.eventOrKind(item))] as const),
  );
  return { by, lists, parts };
}

function readFinalErrors(rule: RuleParts): readonly ValueTest[] {
  return rule.listOf("final_errors", (node) => {
    const text = readText(node, 'an entry of "final_errors"', rule.reader.problems);
    return text === null ? null : nameTest(text, node.range, rule.reader.problems);
  });
}

function readRetry(rule: RuleParts): LedgerBlock["retry"] {
  const node = rule.reader.get("retry");
  const reader = node === null ? null : readMap(node, '"retry"', rule.reader.problems);
  if (reader === null) return null;
  const parts = rule.inside(reader.node, '"retry"');
  const bound = readRetryBound(parts);
  parts.reader.done();
  return bound;
}

type Own = Partial<ReturnType<typeof readShared>>;

/** What each check is held to where it differs from the block: `false`, a severity, or keys of a rule. */
function readChecks(rule: RuleParts, scope: Scope): ReadonlyMap<CheckName, Own | false> {
  const { problems } = rule.reader;
  const node = rule.reader.get("checks");
  const reader = node === null ? null : readMap(node, '"checks"', problems);
  const found = new Map<CheckName, Own | false>();
  for (const { key, keyRange, value } of reader?.node.entries.values() ?? []) {
    const name = checkNames.find((known) => known === key);
    if (name === undefined) {
      problems.error(
        keyRange,
        "unknown-word",
        `an effect ledger has no check "${key}"`,
        `${didYouMean(key, checkNames)}Checks are: ${checkNames.join(", ")}.`,
      );
      continue;
    }
    const own = readCheck(rule, name, value, scope);
    if (own !== null) found.set(name, own);
  }
  return found;
}

function readCheck(rule: RuleParts, name: CheckName, node: SourceNode, scope: Scope): Own | false | null {
  const { problems } = rule.reader;
  if (node.is === "scalar" && node.value === false) return false;
  const severity = node.is === "scalar" ? severities.find((word) => word === node.value) : undefined;
  if (severity !== undefined) return { severity };
  if (node.is !== "map") {
    problems.error(
      node.range,
      "unknown-word",
      `the check "${name}" cannot be ${describe(node)}`,
      `Write false to leave it out, a severity (${severities.join(", ")}), or {severity: …, stage: trial}.`,
    );
    return null;
  }
  const parts = rule.inside(node, "a check");
  const shared = readShared(
    parts.reader,
    { ...rule.context, plainNumbersAreMilliseconds: rule.plainNumbersAreMilliseconds },
    effectRule,
    null,
    scope,
  );
  for (const key of ["must_apply", "code", "id"]) parts.refuse(key, "the check says it itself");
  parts.reader.done();
  const given = Object.entries(shared).filter(([key]) => parts.reader.has(wordOf(key)));
  return Object.fromEntries(given) as Own;
}

/** `onUnknown` is written `on_unknown`. */
const wordOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
