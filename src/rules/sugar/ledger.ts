/**
 * The checks of an effect ledger, one program each (docs/effects.md has the same table in words). They speak of effect
 * events alone: `assemble` makes those of ordinary calls, or an agent sends them as signals.
 */
import type { DurationNano } from "../../model/time.ts";
import type { Code, Severity } from "../../model/verdict.ts";
import type { EffectLedger } from "../ledger.ts";
import { anyEvent, type Bind, type Pattern } from "../pattern.ts";
import type { Program } from "../program.ts";
import { type RetryBound, retryProgram } from "./bounds.ts";
import {
  about,
  answer,
  is,
  type LedgerWords,
  ledgerWords,
  oneOf,
  paths,
  sagaFailed,
  same,
} from "./ledger-events.ts";
import { counting } from "./make-count.ts";
import { link } from "./make-link.ts";

export const checkNames = [
  "intent_first",
  "outcome_known",
  "one_effect",
  "one_effect_per_request",
  "one_input",
  "one_in_flight",
  "lookup_before_retry",
  "unknown_resolved",
  "no_retry_after_final",
  "retry_bound",
  "settled_before_answer",
  "compensate",
  "compensation_own_key",
  "compensation_allowed",
  "claim_once",
  "recheck_at_effect",
  "refused_is_not_effect",
] as const;
export type CheckName = (typeof checkNames)[number];

/** What of a block decides its checks, beside where the ledger reads. */
export interface LedgerBlock {
  readonly ledger: EffectLedger;
  /** Longest from intent to outcome; null: until the scope closes. */
  readonly deadline: DurationNano | null;
  readonly retry: RetryBound | null;
  readonly recheck: {
    readonly by: Pattern;
    readonly same: readonly Bind[];
    readonly voidBy: readonly Pattern[];
  } | null;
  /** A refused attempt is no effect: judged apart, and lower. */
  readonly refusedApart: boolean;
}

export interface LedgerCheck {
  readonly name: CheckName;
  readonly program: Program;
  readonly expected: string;
  readonly severity: Severity;
  /** Over everything rather than the block's scope. */
  readonly everywhere?: boolean;
  readonly code?: Code;
  readonly subjects: readonly Pattern[];
  /** Severity of attempts that were refused, where they get a rule of their own. */
  readonly refused?: Severity;
}

/** Every check that the block has something to say about. */
export function ledgerChecks(block: LedgerBlock): readonly LedgerCheck[] {
  const words = ledgerWords(block.ledger, block.refusedApart);
  return [...before(block, words), ...once(block, words), ...afterwards(block, words), ...undone(words)];
}

/** What must be there when the effect is tried. */
function before(
  { ledger, recheck, deadline }: LedgerBlock,
  { call, intent, told }: LedgerWords,
): readonly LedgerCheck[] {
  const bind = ledger.paths.input_hash.length > 0 ? same("key", "input_hash") : same("key");
  const gate = link("past", "some", call, intent, { bind });
  const checks: LedgerCheck[] = [
    {
      name: "intent_first",
      // Where nobody says how intents are recorded, only a run that has one is held to it.
      // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
      program: ledger.intent === null ? { kernel: "guard", if: intent, then: gate } : gate,
      expected: `${intent.text} before each call, under the same key${bind.length > 1 ? " and with the same input" : ""}`,
      severity: "critical",
      refused: "medium",
      subjects: [intent, call],
    },
    {
      name: "outcome_known",
      program: link("future", "some", intent, told, {
        bind: same("key"),
        within: deadline,
        code: "unresolved_effect",
      }),
      expected: `${told.text} after each intent, under the same key`,
      severity: "high",
      subjects: [intent, told],
    },
  ];
  if (recheck === null) return checks;
  const { by, same: shared, voidBy } = recheck;
  checks.push({
    name: "recheck_at_effect",
    program: link("past", "some", call, by, {
      bind: shared,
      unlessBetween: voidBy.map((match) => ({ match, where: [], bound: false, code: "invalidated" })),
    }),
    expected: `${by.text} before each call, and nothing in between that ends its force`,
    severity: "critical",
    refused: "medium",
    subjects: [by, call],
  });
  return checks;
}

/** What may be there once. */
function once({ ledger, retry }: LedgerBlock, words: LedgerWords): readonly LedgerCheck[] {
  const { call, attempt, inFlight, done, found, intent, claim, refused } = words;
  const effects = oneOf(`effect of ${ledger.tool.text}`, done, found);
  const hashed =
    ledger.paths.input_hash.length > 0 ? oneOf(`call or intent of ${ledger.tool.text}`, intent, call) : call;
  const one = (of: Pattern, distinct: string, ...bind: readonly string[]): Program =>
    counting(of, { max: 1, distinct: paths(distinct), bind: paths(...bind) });
  return [
    {
      name: "one_effect",
      program: one(effects, "provider_id", "key"),
      expected: `one ${effects.text} per key`,
      severity: "critical",
      code: "duplicate_effect",
      subjects: [done],
    },
    {
      name: "one_effect_per_request",
      program: one(effects, "provider_id", "user", "workflow", "request"),
      expected: `one ${effects.text} per user, workflow and request, in whatever run`,
      severity: "critical",
      everywhere: true,
      code: "duplicate_effect",
      subjects: [done],
    },
    {
      name: "one_input",
      program: one(hashed, "input_hash", "key"),
      expected: "one input per key",
      severity: "critical",
      code: "key_reuse",
      subjects: [call],
    },
    {
      name: "one_in_flight",
      program: link("apart", "some", inFlight, inFlight, { bind: same("key"), code: "in_flight_twice" }),
      expected: "no two calls at the same time under one key",
      severity: "critical",
      subjects: [call],
    },
    ...(retry === null
      ? []
      : [
          {
            name: "retry_bound" as const,
            ...retryProgram(attempt, paths("request"), retry),
            severity: "medium" as const,
            subjects: [call],
          },
        ]),
    {
      name: "claim_once",
      program: one(claim, "claimant", "request"),
      expected: "one claimant per request, in whatever run",
      severity: "critical",
      everywhere: true,
      code: "wrong_owner",
      subjects: [claim],
    },
    {
      name: "refused_is_not_effect",
      program: counting(words.refusedAndDone, { max: 0, bind: paths("event_id") }),
      expected: "no effect from a call that was refused",
      severity: "high",
      subjects: [refused],
    },
  ];
}

/** What must, and must not, follow. */
function afterwards(_block: LedgerBlock, words: LedgerWords): readonly LedgerCheck[] {
  const { call, attempt, unknown, told, final, lookup, settled, compensation } = words;
  return [
    {
      name: "lookup_before_retry",
      program: link("future", "none", unknown, attempt, {
        bind: same("request"),
        unlessBetween: [about(lookup, "request"), about(settled, "key")],
        code: "blind_retry",
      }),
      expected: `${lookup.text} before a call is tried again whose outcome is unknown, also under another key`,
      severity: "critical",
      subjects: [unknown, call],
    },
    {
      name: "unknown_resolved",
      program: link("future", "some", unknown, told, { bind: same("key"), code: "unresolved_effect" }),
      expected: `${told.text} after each unknown outcome, under the same key`,
      severity: "critical",
      subjects: [unknown, told],
    },
    {
      name: "no_retry_after_final",
      program: link("future", "none", final, call, { bind: same("request") }),
      expected: `no call of the same request after ${final.text}`,
      severity: "high",
      subjects: [final, call],
    },
    {
      name: "settled_before_answer",
      program: link("future", "none", { ...attempt, boundary: "started_at" }, answer, {
        unlessBetween: [
          about(settled, "event_id"),
          about(settled, "key"),
          about(lookup, "key"),
          about(compensation, "effect_key", "key"),
        ],
        code: "unresolved_effect",
      }),
      expected: `the outcome of each call, a lookup or a compensation before the final answer`,
      severity: "high",
      subjects: [call, answer],
    },
  ];
}

/** Compensation: another effect, under a key of its own. */
function undone({ done, undoable, undone: taken, compensation }: LedgerWords): readonly LedgerCheck[] {
  const fixed: Pattern = {
    ...done,
    not: oneOf("can be undone", ...(done.not === null ? [] : [done.not]), {
      ...anyEvent,
      tests: [is("compensable", true)],
    }),
    text: `${done.text} that is not declared compensable`,
  };
  return [
    {
      name: "compensate",
      program: {
        kernel: "guard",
        if: sagaFailed,
        // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
        then: link("future", "some", undoable, taken, { bind: same("effect"), code: "not_compensated" }),
      },
      expected: `${taken.text} after ${undoable.text}, if saga_failed happens`,
      severity: "critical",
      subjects: [undoable, taken],
    },
    {
      name: "compensation_own_key",
      program: link("any", "none", compensation, done, { bind: same("effect", "key"), code: "key_reuse" }),
      expected: "a key of its own for each compensation",
      severity: "high",
      subjects: [compensation, done],
    },
    {
      name: "compensation_allowed",
      program: link("any", "none", compensation, fixed, { bind: same("effect") }),
      expected: `no compensation of ${fixed.text}`,
      severity: "critical",
      subjects: [compensation, done],
    },
  ];
}
