/**
 * `effects:` — one block an effect: which calls cause it, where they say which one it is, and how strictly each check
 * is held. A block becomes an `EffectLedger`, by which effect events are made, and one rule a check.
 */
import { type Severity, severities } from "../model/verdict.ts";
import type { MapNode, SourceNode } from "../source/yaml-source.ts";
import { type EffectLedger, effectKinds, type LedgerField, ledgerFields, ledgerKind } from "./ledger.ts";
import { MapReader, readMap, readText } from "./map-reader.ts";
import { effectRule, readChecks } from "./parse-ledger-checks.ts";
import { type Draft, draftsBySeverity, type RuleContext } from "./parse-rule.ts";
import { readShared } from "./parse-shared.ts";
import { nameTest } from "./parse-test.ts";
import { anyEvent, type Pattern, type ValueTest } from "./pattern.ts";
import type { Scope } from "./rule.ts";
import { readRetryBound } from "./sugar/bounds.ts";
import { type LedgerBlock, type LedgerCheck, ledgerChecks } from "./sugar/ledger.ts";
import { ownEvents } from "./sugar/ledger-events.ts";
import { sameKeys } from "./sugar/past-options.ts";
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
  const own = withOwnId(blocks, context);
  return { ledgers: own.map(({ ledger }) => ledger), drafts: own.flatMap(({ drafts }) => drafts) };
}

const what = "an effect ledger";

interface Block {
  readonly id: string;
  readonly node: MapNode;
  readonly ledger: EffectLedger;
  readonly drafts: readonly Draft[];
}

function withOwnId(blocks: readonly Block[], { problems }: RuleContext): readonly Block[] {
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
  return [...first.values()];
}

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
  reader.require("lookup", "Add lookup: the tool that asks the provider what became of the effect.");
  const compensation = withInside(rule, "compensation", ["by"]);
  const recheck = withInside(rule, "recheck", ["by", "void_by"]);
  const paths = Object.fromEntries(
    ledgerFields.map((field) => [field, rule.paths(field === "effect" ? "effect_id" : field)]),
  ) as unknown as Readonly<Record<LedgerField, EffectLedger["paths"][LedgerField]>>;
  reader.require("key", "Add key: where the idempotency key is, such as args.idempotency_key; or key: key.");
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
          kind: ledgerKind,
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
