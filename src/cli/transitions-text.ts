/** `check --trace` as text: what was decided about each event of a run, and why; for a person who asks. */
import type { ConflictRecord } from "../model/output.ts";
import type { DurationNano } from "../model/time.ts";
import type { Decision, DecisionGap, Transition } from "../model/transition.ts";
import { durationWords } from "./duration-words.ts";
import type { Style } from "./style.ts";
import { printable } from "./timeline-text.ts";

export function transitionsText(
  run: string,
  transitions: readonly Transition[],
  gaps: readonly DecisionGap[],
  style: Style,
): string {
  const first = transitions.find(({ at }) => at !== null)?.at ?? null;
  const lines = transitions.flatMap((one) => lineOf(one, first, style));
  const missing = gaps.map((gap) =>
    style.yellow(printable(`decision numbers of ${gap.of} that never came: ${rangesOf(gap)}`)),
  );
  const none = lines.length === 0 ? [style.dim("nothing of it was judged or refused")] : [];
  return [
    style.bold(`Trace of ${printable(run)}:`),
    ...[...lines, ...none, ...missing].map((line) => `  ${line}`),
    "",
  ].join("\n");
}

export const rangesOf = ({ missing }: DecisionGap): string =>
  missing.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");

function lineOf(one: Transition, first: bigint | null, style: Style): readonly string[] {
  const { at, event, name, kind, decision, reason } = one;
  const offset = at === null || first === null ? "?" : `+${durationWords((at - first) as DurationNano)}`;
  const head = `${offset.padEnd(9)} ${paint(style, decision)}  ${printable(name ?? kind)} ${style.dim(printable(`(${event})`))}`;
  const about = [
    printable(reason),
    ...facts(one),
    ...one.conflicts.map((conflict) => printable(conflictInWords(conflict))),
    ...(one.evidence.length === 0 ? [] : [printable(`evidence: ${one.evidence.join(", ")}`)]),
  ];
  return [head, ...about.map((text) => `${" ".repeat(12)}${text}`)];
}

/** Both sides in one line: who wrote which fields, from which version to which, and what of it differs. */
function conflictInWords({ resource, commonBase, sides, disputed }: ConflictRecord): string {
  const of = sides.map(({ event, actor, agent, service, decision, base, result, fields }) => {
    const who = [actor, agent, service].filter((name) => name !== null).join(" ");
    const when = decision === null ? "" : ` in decision ${decision}`;
    return `${event}${who === "" ? "" : ` by ${who}`}${when}, version ${base ?? "?"} to ${result ?? "?"}, wrote ${fields.join(", ") || "?"}`;
  });
  const differing = disputed.map(
    ({ field, same }) => `${field}${same === true ? " (the same)" : same === false ? " (different)" : ""}`,
  );
  return [
    `conflict over ${resource ?? "?"}, common base ${commonBase ?? "?"}`,
    ...of,
    ...(differing.length === 0 ? [] : [`disputed: ${differing.join(", ")}`]),
  ].join("; ");
}

function facts({
  stateVersion,
  node,
  effect,
  keyRef,
  attempt,
  errorClass,
  rules,
}: Transition): readonly string[] {
  const parts = [
    node === null ? "" : `node ${node}`,
    stateVersion === null ? "" : `state version ${stateVersion}`,
    effect === null ? "" : `effect ${effect}`,
    keyRef === null ? "" : `key ${keyRef}`,
    attempt === null ? "" : `attempt ${attempt}`,
    errorClass === null ? "" : `error ${errorClass}`,
  ].filter((part) => part !== "");
  const states = rules.flatMap(({ rule, state }) =>
    state === undefined || state.allowed.length === 0
      ? []
      : [printable(`${rule}: in state ${state.was}, which allows ${state.allowed.join(", ")}`)],
  );
  return [...(parts.length === 0 ? [] : [printable(parts.join(", "))]), ...states];
}

function paint(style: Style, decision: Decision): string {
  const word = decision.padEnd(12);
  switch (decision) {
    case "allowed":
      return style.green(word);
    case "inconclusive":
      return style.yellow(word);
    default:
      return style.bold(word);
  }
}
