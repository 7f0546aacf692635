/** A compiled program as a person can read it: the kernels, their sides, and every condition that counts. */
import type { Boundary } from "../model/order.ts";
import { formatDuration } from "../model/time.ts";
import { pathsInWords } from "./explain-forms.ts";
import type { Bind, Operand } from "./pattern.ts";
import type { Blocker, Count, Link, Machine, OrderCondition, Program } from "./program.ts";

/** Lines without a newline; what stands inside something is indented by two blanks. */
export function kernelLines(program: Program): readonly string[] {
  switch (program.kernel) {
    case "link":
      return linkLines(program);
    case "count":
      return countLines(program);
    case "machine":
      return machineLines(program);
    case "fold":
      return ["all of", ...program.parts.flatMap((part) => indented(kernelLines(part)))];
    case "guard":
      return [`only where ${program.if.text} happens`, ...indented(kernelLines(program.then))];
    case "stretch": {
      const edges = [
        ...(program.after === null ? [] : [`after ${program.after.text}`]),
        ...(program.before === null ? [] : [`before ${program.before.text}`]),
      ];
      const key = program.bind.length === 0 ? "" : `, for the same ${bindInWords(program.bind)}`;
      return [`only ${edges.join(" and ")}${key}`, ...indented(kernelLines(program.then))];
    }
  }
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const pointOf = (boundary: Boundary): string => (boundary === "started_at" ? "start" : "end");

const needWords = { past: "before the anchor", future: "after the anchor", any: "anywhere in the scope" };

function linkLines(link: Link): readonly string[] {
  if (link.need === "apart") {
    return [
      "link apart",
      `  of        ${link.anchor.text}`,
      ...((link.limit ?? 1) > 1 ? [`  at most   ${link.limit} at a time`] : []),
      ...conditionLines(link),
    ];
  }
  const need =
    link.quant === "none"
      ? "no witness"
      : link.atLeast > 1
        ? `at least ${link.atLeast} witnesses`
        : "a witness";
  return [
    `link ${link.quant} ${link.need}`,
    `  anchor    ${link.anchor.text}, by its ${pointOf(link.anchorBoundary)}`,
    `  needs     ${need} ${needWords[link.need]}`,
    `  witness   ${link.witness.text}${link.need === "any" ? "" : `, by its ${pointOf(link.witnessBoundary)}`}`,
    ...conditionLines(link),
  ];
}

function conditionLines(link: Link): readonly string[] {
  return [
    ...(link.bind.length === 0 ? [] : [`  same      ${bindInWords(link.bind)}`]),
    ...link.where.map(({ text }) => `  where     ${text}`),
    ...(link.within === null ? [] : [`  within    ${formatDuration(link.within)}`]),
    ...(link.noSooner == null ? [] : [`  no sooner ${formatDuration(link.noSooner)}`]),
    ...(link.also ?? []).map((condition) => `  besides   ${conditionInWords(condition)}`),
    ...(link.validUntil === null ? [] : [`  valid     until ${validInWords(link.validUntil)}`]),
    ...link.unlessBetween.map((blocker) => `  unless    ${blockerInWords(blocker)} between the two`),
    ...(link.code === null ? [] : [`  code      ${link.code}`]),
  ];
}

function conditionInWords({ first, second, holds }: OrderCondition): string {
  const at = ({ of, boundary }: OrderCondition["first"]): string =>
    `the ${of === "a" ? "anchor" : "witness"}'s ${pointOf(boundary)}`;
  return `${at(first)} ${holds ? "before" : "not before"} ${at(second)}`;
}

export function bindInWords(bind: readonly Bind[]): string {
  return bind
    .map(({ anchor, witness, witnessFirst = [] }) => {
      // Where a value may stand in several places, the first that holds one counts.
      const places = [...witnessFirst, witness].map((path) => path.join("."));
      const [one, other] = [anchor.join("."), places.join(", else ")];
      return one === other ? one : `${one} of the anchor and ${other} of the witness`;
    })
    .join(" and ");
}

const validInWords = ({ operand, unit }: NonNullable<Link["validUntil"]>): string =>
  `${operandInWords(operand)}${unit === null ? "" : ` (numbers are ${unit})`}`;

function operandInWords(operand: Operand): string {
  return "side" in operand ? `${operand.side}.${operand.path.join(".")}` : JSON.stringify(operand.literal);
}

function blockerInWords({ match, where, bound }: Blocker): string {
  const same = bound ? " of the same key" : "";
  const conditions = where.map(({ text }) => text);
  return `${match.text}${same}${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`}`;
}

function countLines(count: Count): readonly string[] {
  const bounds = [
    ...(count.min === null ? [] : [`at least ${count.min}`]),
    ...(count.max === null ? [] : [`at most ${count.max}`]),
  ];
  return [
    "count",
    `  of        ${count.of.text}`,
    `  number    ${numberInWords(count, bounds)}`,
    ...(count.distinct.length === 0 ? [] : [`  different ${pathsInWords(count.distinct)}`]),
    ...(count.bind.length === 0 ? [] : [`  for each  ${pathsInWords(count.bind)}`]),
    ...(count.window === null ? [] : [`  window    any ${formatDuration(count.window)}`]),
    ...(count.code === null ? [] : [`  code      ${count.code}`]),
  ];
}

function numberInWords({ measures }: Count, bounds: readonly string[]): string {
  if (bounds.length > 0) return bounds.join(", ");
  return measures === "wait" ? "measured only: the wait of each" : "measured only";
}

function machineLines(machine: Machine): readonly string[] {
  const { final, maxTime } = machine;
  return [
    "machine",
    `  starts in ${machine.initial}`,
    ...(final === null ? [] : [`  ends in   ${[...final].join(" or ")}`]),
    ...(machine.bind.length === 0 ? [] : [`  for each  ${pathsInWords(machine.bind)}`]),
    `  a step its state does not allow ${machine.onIllegal === "stay" ? "is passed over" : "is a violation"}`,
    `  a call that no transition names ${machine.unlisted === "violate" ? "is a violation" : "is passed over"}`,
    ...[...(machine.minTime ?? [])].map(
      ([state, least]) => `  ${state} lasts ${formatDuration(least)} at least`,
    ),
    ...[...maxTime].map(([state, most]) => `  ${state} lasts ${formatDuration(most)} at most`),
    ...(machine.code === null ? [] : [`  code      ${machine.code}`]),
  ];
}

/** One line of the table of a machine. */
export interface MachineRow {
  readonly state: string;
  /** What is allowed there, with its conditions. */
  readonly allowed: string;
  readonly next: string;
}

export function machineRows(machine: Machine): readonly MachineRow[] {
  const rows = machine.transitions.map(({ from, on, to, when, needs, gives, owner, set }) => {
    const conditions = [
      ...when.map(({ text }) => `if ${text}`),
      ...(needs.length === 0 ? [] : [`with ${pathsInWords(needs)}`]),
      ...(gives.length === 0 ? [] : [`giving ${pathsInWords(gives)}`]),
      ...(owner === null ? [] : [`by ${owner.text}`]),
      ...[...set].map(([name, operand]) => `keeps ${name} = ${operandInWords(operand)}`),
    ];
    return { state: from, allowed: [on.text, ...conditions].join(", "), next: to };
  });
  const leaving = new Set(machine.transitions.map(({ from }) => from));
  const ends = [...new Set(machine.transitions.map(({ to }) => to))].filter((state) => !leaving.has(state));
  return [...rows, ...ends.map((state) => ({ state, allowed: "nothing more", next: "" }))];
}

/** Every machine of a program; a fold may hold several. */
export function machinesOf(program: Program): readonly Machine[] {
  switch (program.kernel) {
    case "machine":
      return [program];
    case "fold":
      return program.parts.flatMap(machinesOf);
    case "guard":
    case "stretch":
      return machinesOf(program.then);
    default:
      return [];
  }
}
