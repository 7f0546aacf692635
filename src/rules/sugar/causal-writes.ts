/** Rules about writes to what others write too: preconditions, conflicts, leases, one writer at a time. */
import type { Bind, Comparison, Pattern } from "../pattern.ts";
import type { Blocker, Link, Program } from "../program.ts";
import { bindOn, callsOf, callsUnder, compared, patternOr, writingTools } from "./causal-parts.ts";
import { conditions, link } from "./make-link.ts";
import { oneOf, signal } from "./make-pattern.ts";
import { speaksOfCalls } from "./names.ts";
import { pastOptions } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

const writesOf = (rule: RuleParts, key: string): Pattern | null =>
  callsUnder(rule, key, callsOf(writingTools(rule)), "effect: write or external");

/** The reads that belong to the declared writes (their trait `reads`), else the pattern that must be given. */
const readsOf = (rule: RuleParts): Pattern | null =>
  callsUnder(
    rule,
    "read",
    callsOf([...rule.context.tools.values()].flatMap(({ reads }) => reads ?? [])),
    "reads, on the tools that write",
  );

/** What two calls write to: the paths given, else the field `resource`, which the trait of that name fills. */
function resourceOf(rule: RuleParts): readonly Bind[] {
  const given = rule.binds("resource");
  return given.length > 0 || rule.reader.has("resource") ? given : bindOn("resource");
}

/** Every write names the version that somebody has read, so that it can be refused when that has moved. */
function conditionalWrite(rule: RuleParts): Built | null {
  const write = writesOf(rule, "write");
  const read = readsOf(rule);
  const resource = resourceOf(rule);
  const version = rule.binds("version");
  const { needs: _none, ...past } = pastOptions(rule, write, read);
  if (write === null || read === null) return null;
  const usual: readonly Bind[] = [{ anchor: ["if_match"], witness: ["version"] }];
  const options = {
    ...past,
    bind: [...resource, ...(rule.reader.has("version") ? version : usual), ...past.bind],
  };
  return {
    program: link("past", "some", write, read, options),
    expected: `${read.text} before ${write.text}${conditions(options)}`,
    subjects: [read, write],
    guarded: write,
    severity: "high",
  };
}

/** What was refused for its version is not forced through: somebody reads again first, and decides again. */
function rereadAfterConflict(rule: RuleParts): Built | null {
  const write = writesOf(rule, "write");
  const read = readsOf(rule);
  const refused: Pattern | null =
    write === null
      ? null
      : {
          ...write,
          tests: [...write.tests, { path: ["outcome"], test: { op: "equals", value: "conflict" } }],
          text: `${write.text} (outcome: conflict)`,
        };
  const conflict = rule.optionalPattern("conflict") ?? refused;
  const resource = resourceOf(rule);
  const replan = rule.reader.boolean("replan") ?? false;
  const options = rule.linkOptions("future", "none", conflict);
  if (write === null || read === null || conflict === null) return null;
  const reread = ofTheSame(read, resource, options.bind.length === 0);
  const thought = replan ? [earlierDecision] : [];
  const again: Blocker = { ...reread, where: [...reread.where, ...thought], inside: true };
  const whole = {
    ...options,
    bind: [...resource.map(({ anchor }) => ({ anchor, witness: anchor })), ...options.bind],
    unlessBetween: [...options.unlessBetween, again],
  };
  return {
    program: link("future", "none", conflict, write, { ...whole, code: "forced_write" }),
    expected: `no ${write.text} after ${conflict.text}${conditions(whole)}${replan ? ", by a later decision than that read" : ""}`,
    subjects: [conflict, write],
    severity: "critical",
  };
}

/** An event between, of the anchor's resource, wherever either names it. */
function ofTheSame(match: Pattern, resource: readonly Bind[], alone: boolean): Blocker {
  const alike = resource.every(({ anchor, witness }) => anchor.join(".") === witness.join("."));
  // By value across text and number where one path serves both; by comparison where it does not.
  const where = resource.map(({ anchor, witness }) => compared(["b", witness], "==", ["a", anchor]));
  return { match, where: alike && alone ? [] : where, bound: alike && alone, code: "invalidated" };
}

/** The read was decided on before the new write: what was read could be thought about. */
const earlierDecision: Comparison = compared(["b", ["seq"]], "<", ["w", ["seq"]]);

/** Writes of one resource, or of one field of it, never overlap; those that are declared to commute may. */
function singleWriter(rule: RuleParts): Built | null {
  const of = writesOf(rule, "of");
  const resource = resourceOf(rule);
  const field = rule.binds("field");
  const options = rule.linkOptions("apart", "some", of);
  if (of === null) return null;
  const bound = { ...options, bind: [...resource, ...field, ...options.bind] };
  const { commutes } = rule.context;
  const apart = link("apart", "some", of, of, bound);
  return {
    program: commutes.length === 0 ? apart : { ...apart, commutes },
    expected: `no two ${of.text} at the same time${conditions(bound)}${commutes.length === 0 ? "" : ", unless they commute"}`,
    subjects: [of],
    guarded: of,
    severity: "high",
  };
}

/**
 * A lease: every write holds one of its resource, alone, for this one write, and not past `max`. Either calls take it
 * and give it back (`acquire`, `renew`, `release`), or one event lasts as long as it does (`lease`).
 */
function lease(rule: RuleParts): Built | null {
  const { reader } = rule;
  const write = writesOf(rule, "for");
  const resource = resourceOf(rule);
  const max = reader.duration("max", rule.plainNumbersAreMilliseconds);
  const asCalls = ["acquire", "renew", "release"].some((key) => reader.has(key));
  const parts = asCalls ? leaseByCalls(rule, write, resource, max) : leaseBySpan(rule, write, resource, max);
  if (write === null || parts === null) return null;
  return {
    program: { kernel: "fold", parts: parts.links },
    expected: `${write.text} only under a ${parts.held} of its own${conditions({ ...noOptions, bind: resource })}${max === null ? "" : ", and not past its end"}`,
    subjects: [write],
    guarded: write,
    severity: "high",
  };
}

const noOptions = { bind: [], where: [], within: null, validUntil: null, unlessBetween: [], atLeast: 1 };

interface LeaseParts {
  readonly links: readonly Program[];
  readonly held: string;
}

function leaseByCalls(
  rule: RuleParts,
  write: Pattern | null,
  resource: readonly Bind[],
  max: Link["within"],
): LeaseParts | null {
  const acquire = rule.pattern("acquire");
  const renew = rule.optionalPattern("renew");
  const release = rule.pattern("release");
  rule.refuse("lease", "acquire and release already say how long it lasts");
  if (write === null || acquire === null || release === null) return null;
  const taking = succeeded(acquire);
  const given = ofTheSame(release, resource, true);
  const spent: Blocker = { match: write, where: [], bound: true, code: "blocked" };
  const alive = renew === null ? taking : oneOf([taking, succeeded(renew)]);
  const held = link("past", "some", write, taking, { bind: resource, unlessBetween: [given, spent] });
  const taken = link("future", "none", alive, taking, {
    bind: resource.map(({ witness }) => ({ anchor: witness, witness })),
    within: max,
    unlessBetween: [{ ...given, where: [], bound: true }],
    code: "overlap",
  });
  return { links: [held, ...lasting(write, alive, resource, max, [given]), taken], held: acquire.text };
}

/** A lease that was refused is nobody's. */
const succeeded = (pattern: Pattern): Pattern =>
  pattern.namesStatus || !speaksOfCalls(pattern)
    ? pattern
    : {
        ...pattern,
        tests: [...pattern.tests, { path: ["status"], test: { op: "equals", value: "success" } }],
        namesStatus: true,
      };

/** The lease still lasts when the write begins, and when it ends. */
function lasting(
  write: Pattern,
  alive: Pattern,
  bind: readonly Bind[],
  max: Link["within"],
  unlessBetween: readonly Blocker[],
): readonly Link[] {
  const options = { bind, within: max, unlessBetween };
  return [
    link("past", "some", write, alive, options),
    link("past", "some", { ...write, boundary: "finished_at" }, alive, options),
  ];
}

function leaseBySpan(
  rule: RuleParts,
  write: Pattern | null,
  resource: readonly Bind[],
  max: Link["within"],
): LeaseParts | null {
  const lasts = patternOr(rule, "lease", signal("lease"));
  if (write === null || lasts === null) return null;
  const begins: Pattern = { ...lasts, boundary: "started_at" };
  const spent: Blocker = { match: write, where: [], bound: true, code: "blocked" };
  const inside: Link = {
    ...link("past", "some", { ...write, boundary: "started_at" }, begins, {
      bind: resource,
      unlessBetween: [spent],
    }),
    also: [
      {
        first: { of: "a", boundary: "finished_at" },
        second: { of: "w", boundary: "finished_at" },
        holds: true,
      },
    ],
  };
  const inTime =
    max === null
      ? []
      : [
          link("past", "some", { ...write, boundary: "finished_at" }, begins, {
            bind: resource,
            within: max,
          }),
        ];
  return {
    links: [inside, ...inTime, link("apart", "some", lasts, lasts, { bind: resource })],
    held: lasts.text,
  };
}

export const writeKinds: readonly RuleKind[] = [
  { kind: "conditional_write", category: "causality", build: conditionalWrite },
  { kind: "reread_after_conflict", category: "causality", build: rereadAfterConflict },
  { kind: "single_writer", category: "causality", build: singleWriter },
  { kind: "lease", category: "causality", build: lease },
];
