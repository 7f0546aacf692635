/**
 * The relation templates of Declare (DECLARE process constraints), each in terms of links: `first` and
 * `second` are its A and B.
 */
import { anyEvent, type Pattern } from "../pattern.ts";
import type { Blocker, Link, Program } from "../program.ts";
import { toolKinds } from "../words.ts";
import { conditions, link, swapped } from "./make-link.ts";
import { having, pastOptions } from "./past-options.ts";
import type { Built, LinkOptions, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";
import { spentBy } from "./spent.ts";

const any: Pattern = { ...anyEvent, text: "any event" };

/** Every event that the rule could mean: tool calls, retrievals, and the kinds it names itself. */
export function alphabetOf(...patterns: readonly Pattern[]): Pattern {
  const kinds = new Set(toolKinds);
  for (const pattern of patterns) {
    if (pattern.kinds === null && pattern.name === null) return any;
    for (const kind of pattern.kinds ?? []) kinds.add(kind);
  }
  return { ...any, kinds, text: "any other call" };
}

function between(alphabet: "tools" | "rule" | "all", first: Pattern, second: Pattern): Blocker {
  const match =
    alphabet === "all"
      ? any
      : alphabet === "tools"
        ? alphabetOf(first, second)
        : { ...any, anyOf: [first, second], text: `${first.text} or ${second.text}` };
  return { match, where: [], bound: true, code: "blocked" };
}

interface Pair {
  readonly first: Pattern;
  readonly second: Pattern;
  /** As the user wrote them, with `first` as the anchor. */
  readonly ahead: LinkOptions;
  /** The same for a link whose anchor is `second`. */
  readonly back: LinkOptions;
  readonly chain: Blocker;
}

interface Template {
  readonly kind: string;
  readonly need: Link["need"];
  readonly quant: Link["quant"];
  /** The side that is judged: `a.` in its comparisons. */
  readonly anchor: "first" | "second";
  readonly parts: (pair: Pair) => readonly Program[];
  readonly words: (first: string, second: string) => string;
}

const plus = (options: LinkOptions, blocker: Blocker): LinkOptions => ({
  ...options,
  unlessBetween: [...options.unlessBetween, blocker],
});

const response = ({ first, second, ahead }: Pair, blocker?: Blocker): Program =>
  link("future", "some", first, second, blocker === undefined ? ahead : plus(ahead, blocker));
const precedence = ({ first, second, back }: Pair, blocker?: Blocker): Program =>
  link("past", "some", second, first, blocker === undefined ? back : plus(back, blocker));

const templates: readonly Template[] = [
  {
    kind: "responded_existence",
    need: "any",
    quant: "some",
    anchor: "first",
    parts: ({ first, second, ahead }) => [link("any", "some", first, second, ahead)],
    words: (first, second) => `${second} wherever ${first} happens`,
  },
  {
    kind: "co_existence",
    need: "any",
    quant: "some",
    anchor: "first",
    parts: ({ first, second, ahead, back }) => [
      link("any", "some", first, second, ahead),
      link("any", "some", second, first, back),
    ],
    words: (first, second) => `${first} and ${second} both or neither`,
  },
  {
    kind: "not_co_existence",
    need: "any",
    quant: "none",
    anchor: "first",
    parts: ({ first, second, ahead, back }) => [
      link("any", "none", first, second, ahead),
      link("any", "none", second, first, back),
    ],
    words: (first, second) => `never both ${first} and ${second}`,
  },
  {
    kind: "not_responded_existence",
    need: "any",
    quant: "none",
    anchor: "first",
    parts: ({ first, second, ahead }) => [link("any", "none", first, second, ahead)],
    words: (first, second) => `no ${second} wherever ${first} happens`,
  },
  {
    kind: "alternate_response",
    need: "future",
    quant: "some",
    anchor: "first",
    parts: (pair) => [response(pair, spentBy(pair.first, pair.ahead.where))],
    words: (first, second) => `${second} after ${first}, before the next ${first}`,
  },
  {
    kind: "chain_response",
    need: "future",
    quant: "some",
    anchor: "first",
    parts: (pair) => [response(pair, pair.chain)],
    words: (first, second) => `${second} directly after ${first}`,
  },
  {
    kind: "alternate_precedence",
    need: "past",
    quant: "some",
    anchor: "second",
    parts: (pair) => [precedence(pair, spentBy(pair.second, pair.back.where))],
    words: (first, second) => `a new ${first} before each ${second}`,
  },
  {
    kind: "chain_precedence",
    need: "past",
    quant: "some",
    anchor: "second",
    parts: (pair) => [precedence(pair, pair.chain)],
    words: (first, second) => `${first} directly before ${second}`,
  },
  {
    kind: "succession",
    need: "future",
    quant: "some",
    anchor: "first",
    parts: (pair) => [response(pair), precedence(pair)],
    words: (first, second) => `${second} after ${first}, and ${first} before ${second}`,
  },
  {
    kind: "alternate_succession",
    need: "future",
    quant: "some",
    anchor: "first",
    parts: (pair) => [
      response(pair, spentBy(pair.first, pair.ahead.where)),
      precedence(pair, spentBy(pair.second, pair.back.where)),
    ],
    words: (first, second) => `${first} and ${second} in turns, ${first} first`,
  },
  {
    kind: "chain_succession",
    need: "future",
    quant: "some",
    anchor: "first",
    parts: (pair) => [response(pair, pair.chain), precedence(pair, pair.chain)],
    words: (first, second) => `${first} and ${second} only directly one after the other`,
  },
  {
    kind: "not_chain_succession",
    need: "future",
    quant: "none",
    anchor: "first",
    parts: ({ first, second, ahead, chain }) => [link("future", "none", first, second, plus(ahead, chain))],
    words: (first, second) => `no ${second} directly after ${first}`,
  },
  {
    kind: "not_chain_response",
    need: "future",
    quant: "none",
    anchor: "first",
    parts: ({ first, second, ahead, chain }) => [link("future", "none", first, second, plus(ahead, chain))],
    words: (first, second) => `no ${second} directly after ${first}`,
  },
  {
    kind: "not_chain_precedence",
    need: "past",
    quant: "none",
    anchor: "second",
    parts: ({ first, second, back, chain }) => [link("past", "none", second, first, plus(back, chain))],
    words: (first, second) => `no ${first} directly before ${second}`,
  },
];

function build(template: Template, rule: RuleParts): Built | null {
  const given = rule.pattern("first");
  const second = rule.pattern("second");
  const anchor = template.anchor === "first" ? given : second;
  const looksBack = template.need === "past" && template.quant === "some";
  const { needs, ...options } = looksBack
    ? pastOptions(rule, anchor, given)
    : { ...rule.linkOptions(template.need, template.quant, anchor), needs: [] };
  const first = given === null ? null : having(given, needs);
  const alphabet = template.kind.includes("chain") ? rule.alphabet() : "tools";
  if (first === null || second === null) return null;
  const [ahead, back] =
    template.anchor === "first" ? [options, swapped(options)] : [swapped(options), options];
  const parts = template.parts({ first, second, ahead, back, chain: between(alphabet, first, second) });
  const [only] = parts;
  if (only === undefined) return null;
  return {
    program: parts.length === 1 ? only : { kernel: "fold", parts },
    expected: `${template.words(first.text, second.text)}${conditions(options)}`,
    subjects: [first, second],
  };
}

export const declareKinds: readonly RuleKind[] = templates.map((template) => ({
  kind: template.kind,
  category: "workflow",
  build: (rule) => build(template, rule),
}));
