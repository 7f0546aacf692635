/** Rules about what is no longer current: superseded, cancelled, of an older turn, or of a version that has moved. */
import { anyEvent, type Bind, type Path, type Pattern } from "../pattern.ts";
import type { Blocker, Program } from "../program.ts";
import { toolKinds } from "../words.ts";
import {
  bindOn,
  callsOf,
  callsUnder,
  compared,
  keyedBy,
  lacking,
  patternOr,
  writingTools,
} from "./causal-parts.ts";
import { conditions, link } from "./make-link.ts";
import { oneOf, signal } from "./make-pattern.ts";
import { having } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** A result of a decision that was superseded changes nothing any more. */
function noSupersededApply(rule: RuleParts): Built | null {
  return forbidden(rule, {
    after: ["superseded", signal("superseded")],
    forbid: ["applied", signal("applied")],
    code: "superseded_applied",
    severity: "critical",
  });
}

/** A result of a cancelled decision does not enter the active context. */
function cancelledRead(rule: RuleParts): Built | null {
  return forbidden(rule, {
    after: ["cancel", signal("cancel_requested")],
    forbid: ["admitted", signal("admitted")],
    code: null,
    severity: "high",
  });
}

function forbidden(
  rule: RuleParts,
  words: {
    readonly after: readonly [string, Pattern];
    readonly forbid: readonly [string, Pattern];
    readonly code: "superseded_applied" | null;
    readonly severity: "critical" | "high";
  },
): Built | null {
  const after = patternOr(rule, ...words.after);
  const forbid = patternOr(rule, ...words.forbid);
  const options = keyedBy(rule, "future", "none", after, bindOn("decision"));
  if (after === null || forbid === null) return null;
  return {
    program: link("future", "none", after, forbid, {
      ...options,
      ...(words.code === null ? {} : { code: words.code }),
    }),
    expected: `no ${forbid.text} after ${after.text}${conditions(options)}`,
    subjects: [after, forbid],
    severity: words.severity,
  };
}

/** An effect that completes after its cancel exists all the same, and has to be reconciled. */
function cancelledEffect(rule: RuleParts): Built | null {
  const cancel = patternOr(rule, "cancel", signal("cancel_requested"));
  const completed = patternOr(rule, "completed", signal("completed", { effect: ["write", "external"] }));
  const reconciled = patternOr(rule, "reconciled", signal("reconciled"));
  const options = keyedBy(rule, "future", "some", completed, bindOn("decision"));
  if (cancel === null || completed === null || reconciled === null) return null;
  const response = link("future", "some", completed, reconciled, { ...options, code: "unresolved_effect" });
  return {
    program: {
      kernel: "stretch",
      after: cancel,
      before: null,
      bind: options.bind.map(({ anchor }) => ({ anchor, witness: anchor })),
      // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
      then: response,
    },
    expected: `${reconciled.text} after ${completed.text}${conditions(options)}, only after ${cancel.text}`,
    subjects: [completed, reconciled],
    severity: "critical",
  };
}

/** Cancelling a decision is also asked of the provider. */
function cancelSent(rule: RuleParts): Built | null {
  const cancel = patternOr(rule, "cancel", signal("cancel_requested"));
  const cancelling = [...rule.context.tools.values()].flatMap((traits) => traits.cancel ?? []);
  const sent = callsUnder(rule, "call", callsOf(cancelling), "cancel");
  const options = keyedBy(rule, "future", "some", cancel, bindOn("decision"));
  if (cancel === null || sent === null) return null;
  return {
    program: link("future", "some", cancel, sent, options),
    expected: `${sent.text} after ${cancel.text}${conditions(options)}`,
    subjects: [cancel, sent],
    severity: "high",
  };
}

/** What was cancelled comes to an end that somebody sees: a cancelled call that never ends is open, not gone. */
function cancelSettled(rule: RuleParts): Built | null {
  const cancel = patternOr(rule, "cancel", signal("cancel_requested"));
  const ended: Pattern = { ...anyEvent, kinds: toolKinds, text: "the end of its call" };
  const usual = oneOf([signal("completed"), signal("marked_stale"), ended]);
  const settled = patternOr(rule, "settled", { ...usual, boundary: "finished_at" });
  const options = keyedBy(rule, "future", "some", cancel, bindOn("decision"));
  if (cancel === null || settled === null) return null;
  return {
    program: link(
      "future",
      "some",
      cancel,
      { ...settled, boundary: settled.boundary ?? "finished_at" },
      options,
    ),
    expected: `${settled.text} after ${cancel.text}${conditions(options)}`,
    subjects: [cancel, settled],
    severity: "high",
  };
}

const currencies = ["decision", "turn", "run", "resource", "state"] as const;
type Currency = (typeof currencies)[number];

/**
 * Nothing acts on what is no longer current: its decision superseded or cancelled, its turn or run cancelled or
 * over, the version that it was based on moved.
 */
function currentAtEffect(rule: RuleParts): Built | null {
  const of = callsUnder(rule, "of", callsOf(writingTools(rule)), "effect: write or external");
  const by = readCurrencies(rule);
  if (of === null) return null;
  const parts = by.flatMap((one) => partsOf(one, of));
  for (const pattern of [signal("superseded"), signal("cancel_requested")]) rule.patterns.push(pattern);
  return {
    program: { kernel: "fold", parts },
    expected: `${of.text} only while its ${by.join(", ")} ${by.length === 1 ? "is" : "are"} current`,
    subjects: [of],
    guarded: of,
    severity: "critical",
  };
}

function readCurrencies(rule: RuleParts): readonly Currency[] {
  const { problems } = rule.reader;
  const words = rule.listOf("by", (node) => {
    const word = currencies.find((known) => node.is === "scalar" && node.text === known);
    if (word === undefined) {
      problems.error(
        node.range,
        "unknown-word",
        `"by" names something that has no currency`,
        `Use any of: ${currencies.join(", ")}.`,
      );
    }
    return word ?? null;
  });
  return words.length === 0 ? currencies : words;
}

/** What ends the currency of a decision, a turn or a run says which; one that names a smaller thing speaks of that alone. */
const enders = ["superseded", "cancel_requested"] as const;

function partsOf(currency: Currency, of: Pattern): readonly Program[] {
  const ended = (smaller: readonly string[]): readonly Program[] =>
    enders.map((kind) =>
      stale(
        of,
        lacking(
          signal(kind),
          smaller.map((field) => [field]),
        ),
        bindOn(currency),
      ),
    );
  switch (currency) {
    case "decision":
      return ended([]);
    case "turn":
      return [...ended(["decision"]), newerTurn(of)];
    case "run":
      return ended(["decision", "turn"]);
    case "resource":
      return [
        moved(of, ["version"], ["base_version"], bindOn("resource")),
        moved(of, ["version"], ["if_match"], bindOn("resource")),
      ];
    case "state":
      return [moved(of, ["state_version"], ["base_version"], [])];
  }
}

const stale = (
  of: Pattern,
  witness: Pattern,
  bind: readonly Bind[],
  rest: Parameters<typeof link>[4] = {},
): Program => link("past", "none", of, witness, { ...rest, bind, code: "stale_dispatch" });

/** Another user turn that began after the effect's own. Told only of effects whose own user turn is here. */
function newerTurn(of: Pattern): Program {
  const turn = signal("user_turn");
  const own: Blocker = {
    match: turn,
    where: [compared(["b", ["turn"]], "==", ["a", ["turn"]])],
    bound: false,
    code: "invalidated",
  };
  const newer = stale(of, turn, [], {
    where: [compared(["w", ["turn"]], "!=", ["a", ["turn"]])],
    unlessBetween: [own],
  });
  return {
    kernel: "stretch",
    after: turn,
    before: null,
    bind: bindOn("turn"),
    // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
    then: newer,
  };
}

/**
 * A change to another version than the effect is based on. A change that came before somebody saw that version is an
 * older one.
 */
function moved(of: Pattern, version: Path, base: Path, bind: readonly Bind[]): Program {
  const seen: Blocker = {
    match: having({ ...anyEvent, text: `any event with ${version.join(".")}` }, [version]),
    where: [compared(["b", version], "==", ["a", base])],
    bound: bind.length > 0,
    code: "invalidated",
  };
  return stale(of, having(signal("version_change"), [version]), bind, {
    where: [compared(["w", version], "!=", ["a", base])],
    unlessBetween: [seen],
  });
}

/** A step starts soon after what it waits for has finished. */
function wait(rule: RuleParts): Built | null {
  const { reader } = rule;
  const after = rule.pattern("after", "first");
  const before = rule.pattern("before", "second");
  if (!reader.has("max")) reader.require("max", "Add max: the longest wait, such as 5s.");
  const max = reader.duration("max", rule.plainNumbersAreMilliseconds);
  rule.refuse("within", "the longest wait is called max");
  const { within: _none, ...options } = rule.linkOptions("future", "some", after);
  if (after === null || before === null || max === null) return null;
  const timed = { ...options, within: max };
  return {
    program: link("future", "some", after, before, timed),
    expected: `${before.text} after ${after.text}${conditions(timed)}`,
    subjects: [after, before],
    severity: "low",
  };
}

export const orderKinds: readonly RuleKind[] = [
  { kind: "no_superseded_apply", category: "causality", build: noSupersededApply },
  { kind: "cancelled_read", category: "causality", build: cancelledRead },
  { kind: "cancelled_effect", category: "causality", build: cancelledEffect },
  { kind: "cancel_sent", category: "causality", build: cancelSent },
  { kind: "cancel_settled", category: "causality", build: cancelSettled },
  { kind: "current_at_effect", category: "causality", build: currentAtEffect },
  { kind: "wait", category: "causality", build: wait },
];
