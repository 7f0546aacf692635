/**
 * When each form of rule can be decided, and what it keeps: the table of docs/semantics.md 7 in words. One
 * row speaks of one instance; what that means for the whole rule stands beside it in `explain.ts`.
 */
import { formatDuration } from "../model/time.ts";
import type { Path } from "./pattern.ts";
import type { Count, Link, Machine, Program } from "./program.ts";

/** One kernel of a rule: each is decided for itself. */
export interface FormExplanation {
  /** The row: `some past`, `none future with blockers`, `count max`. */
  readonly form: string;
  /** What the instance is: the anchor, or the key. */
  readonly instance: string;
  /** When *satisfied* is final. */
  readonly satisfied: string;
  /** When *violated* is final. */
  readonly violated: string;
  /** What is shown until then. */
  readonly meanwhile: string;
  /** What is kept of the scope's events for one key, besides the events themselves. */
  readonly memory: string;
  /** True where no violation can be final while the scope is open. */
  readonly waitsForClose: boolean;
}

type Row = Omit<FormExplanation, "form" | "instance">;

const closed = "when the scope closes";

export function formsOf(program: Program): readonly FormExplanation[] {
  switch (program.kernel) {
    case "link":
      return [linkForm(program)];
    case "count":
      return [countForm(program)];
    case "machine":
      return [machineForm(program)];
    case "fold":
      return program.parts.flatMap(formsOf);
    case "guard":
    case "stretch":
      return formsOf(program.then);
  }
}

/** `args.user_id and args.plan_id`, or nothing. */
export const pathsInWords = (paths: readonly Path[]): string =>
  paths.map((path) => path.join(".")).join(" and ");

const perKey = (paths: readonly Path[]): string =>
  paths.length === 0 ? "the scope" : `each different ${pathsInWords(paths)}`;

function linkForm(link: Link): FormExplanation {
  const conditions = [
    link.unlessBetween.length > 0 ? "blockers" : "",
    link.within !== null ? "within" : "",
    link.validUntil !== null ? "valid_until" : "",
    link.noSooner == null ? "" : "no_sooner",
  ].filter((word) => word !== "");
  const name = link.need === "apart" ? "apart" : `${link.quant} ${link.need}`;
  return {
    form: conditions.length === 0 ? name : `${name} with ${conditions.join(" and ")}`,
    instance: link.need === "apart" ? `each pair of ${link.anchor.text}` : `each ${link.anchor.text}`,
    ...linkRow(link),
  };
}

function linkRow(link: Link): Row {
  const anchor = link.anchor.text;
  const witness = link.atLeast > 1 ? `the ${link.atLeast} ${link.witness.text}` : link.witness.text;
  const complete = (text: string): string =>
    `once nothing that came before ${text} can still arrive (its decision_wait has passed, or the scope closed)`;
  const blocked = link.unlessBetween.length > 0;
  const held = link.atLeast > 1 ? `the last ${link.atLeast} witnesses` : "the last witness in order";
  switch (link.need) {
    case "apart":
      return {
        satisfied: closed,
        violated: `at once, when ${(link.limit ?? 1) + 1} of them surely overlap`,
        meanwhile: "satisfied, provisionally",
        memory: "the open events of the key, and those in the reorder window",
        waitsForClose: false,
      };
    case "past":
      return link.quant === "some"
        ? {
            satisfied: blocked
              ? complete(anchor)
              : `as soon as ${witness} is seen before it, in a certain order`,
            violated: complete(anchor),
            meanwhile: blocked ? "satisfied or violated, provisionally" : "violated, provisionally",
            memory: memoryOfPast(link, blocked, held),
            waitsForClose: false,
          }
        : {
            satisfied: complete(anchor),
            violated: blocked ? complete(anchor) : `at once, when ${witness} is seen before it`,
            meanwhile: blocked ? "satisfied or violated, provisionally" : "satisfied, provisionally",
            memory: blocked
              ? "the earliest witness and the last blocker, and those in the reorder window"
              : "the earliest witness of each clock",
            waitsForClose: false,
          };
    case "future":
      return link.quant === "some"
        ? responseRow(link, witness, complete)
        : forbiddenRow(blocked, witness, complete);
    case "any":
      return link.quant === "some"
        ? {
            satisfied: `as soon as ${witness} is seen, before or after`,
            violated: closed,
            meanwhile: "pending",
            memory: "two flags: whether either side was seen",
            waitsForClose: true,
          }
        : {
            satisfied: closed,
            violated: `at once, when ${witness} is seen too`,
            meanwhile: "satisfied, provisionally",
            memory: "two flags: whether either side was seen",
            waitsForClose: false,
          };
  }
}

function memoryOfPast(link: Link, blocked: boolean, held: string): string {
  if (blocked) return `${held} and the last blocker; of the reorder window, all of both`;
  if (link.within !== null) return `${held}; of the last ${formatDuration(link.within)}, all of them`;
  if (link.validUntil !== null) return "the witnesses of the reorder window, with their expiry";
  return link.atLeast > 1 ? held : "the earliest end of a witness, for each clock";
}

function responseRow(link: Link, witness: string, complete: (text: string) => string): Row {
  const blocked = link.unlessBetween.length > 0;
  // A blocker with conditions on the witness breaks nothing before the witness is here.
  const breaks = link.unlessBetween.some(({ where }) => where.length === 0);
  const limit = link.within === null ? null : formatDuration(link.within);
  const ways = [
    ...(breaks ? ["once an event that breaks the line surely came first"] : []),
    ...(limit === null ? [] : [`once ${limit} and its decision_wait have passed without one`]),
    closed,
  ];
  return {
    satisfied: blocked ? complete(witness) : `as soon as ${witness} is seen after it`,
    violated: ways.join(", or "),
    meanwhile: blocked ? "pending, or satisfied provisionally" : "pending",
    memory: blocked
      ? "the newest open anchor and the last blocker; of the reorder window, all of both"
      : "the open anchors; the newest one decides",
    waitsForClose: limit === null && !breaks,
  };
}

function forbiddenRow(blocked: boolean, witness: string, complete: (text: string) => string): Row {
  return {
    satisfied: closed,
    violated: blocked
      ? `${complete(witness)}: what comes late may excuse it`
      : `at once, when ${witness} is seen after it`,
    meanwhile: blocked ? "violated or satisfied, provisionally" : "satisfied, provisionally",
    memory: blocked
      ? "the earliest anchor and the last blocker; of the reorder window, all of both"
      : "the earliest end of an anchor, for each clock",
    waitsForClose: false,
  };
}

function countForm(count: Count): FormExplanation {
  const { min, max } = count;
  const kept = memoryOfCount(count);
  const instance = perKey(count.bind);
  const what = count.distinct.length > 0 ? `different ${pathsInWords(count.distinct)}` : count.of.text;
  if (min === null && max === null) {
    return {
      form: "count",
      instance,
      satisfied: "never broken: it only measures",
      violated: "never",
      meanwhile: "satisfied, provisionally",
      memory: kept,
      waitsForClose: false,
    };
  }
  const above = `at once, with number ${(max ?? 0) + 1} of ${what}`;
  const reached = min === 0 ? "at once" : `at once, with number ${min} of ${what}`;
  return {
    form: ["count", min === null ? "" : "min", max === null ? "" : "max"]
      .filter((part) => part !== "")
      .join(" "),
    instance,
    satisfied: max === null ? reached : closed,
    violated: max === null ? closed : min === null ? above : `${above}, or ${closed}`,
    meanwhile: min === null ? "satisfied, provisionally" : "pending",
    memory: kept,
    waitsForClose: max === null,
  };
}

function memoryOfCount({ distinct, max, min, window }: Count): string {
  if (window !== null) return `what was counted in the last ${formatDuration(window)}`;
  if (distinct.length === 0) return "one number";
  const limit = max ?? min;
  return limit === null
    ? "every different value: there is no limit to them"
    : `${limit + (max === null ? 0 : 1)} different values at most`;
}

function machineForm(machine: Machine): FormExplanation {
  const { transitions } = machine;
  const wrong = [
    ...(machine.onIllegal === "violate" ? ["an illegal step"] : []),
    ...(machine.onIllegal === "stay" && machine.unlisted === "violate" ? ["a step that nothing lists"] : []),
    ...(machine.onIllegal === "stay" &&
    transitions.some(({ needs, gives }) => needs.length + gives.length > 0)
      ? ["a step that lacks what it must carry"]
      : []),
    ...(machine.onIllegal === "stay" && transitions.some(({ owner }) => owner !== null)
      ? ["a step of another owner"]
      : []),
  ];
  const steps =
    wrong.length === 0
      ? []
      : [`once ${wrong.join(", or ")} is here and nothing that came before its end can still arrive`];
  const times = [
    ...((machine.minTime?.size ?? 0) > 0 ? ["once a step has come too soon"] : []),
    ...(machine.maxTime.size > 0 ? ["once a state has lasted too long"] : []),
  ];
  const ends = machine.final === null ? [] : [`${closed} in a state that is not final`];
  const violated = [...steps, ...times, ...ends];
  const registers = new Set(machine.transitions.flatMap(({ set }) => [...set.keys()]));
  return {
    form: "machine",
    instance: perKey(machine.bind),
    satisfied: closed,
    violated:
      violated.length === 0
        ? "never: no step is illegal and any state may be the last"
        : violated.join(", or "),
    meanwhile: machine.final === null ? "satisfied, provisionally" : "pending",
    memory: `one state${registers.size === 0 ? "" : ` and ${registers.size} ${registers.size === 1 ? "register" : "registers"}`}; of the reorder window, the steps that have no certain order`,
    waitsForClose: steps.length === 0 && times.length === 0 && ends.length > 0,
  };
}
