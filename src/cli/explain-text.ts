import type { Explanation } from "../rules/explain.ts";
import type { FormExplanation } from "../rules/explain-forms.ts";
import type { MachineRow } from "../rules/explain-kernel.ts";
import { paintSeverity, type Style } from "./style.ts";
import { table } from "./table.ts";

/** One rule, explained; a blank line between its parts, none at the end. */
export function explanationText(found: Explanation, style: Style): string {
  const marks = [
    found.kind,
    paintSeverity(style, found.severity, found.severity),
    found.category,
    ...(found.stage === "trial" ? ["trial"] : []),
    ...(found.class === "preference" ? ["preference"] : []),
  ].join(", ");
  const head = `${style.bold(`${found.contract}/${found.rule}`)}  ${marks}  ${style.dim(`${found.file}:${found.line}`)}`;
  const part = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", style.bold(title), ...lines.map((line) => `  ${line}`)];
  return [
    head,
    ...part("Asks", found.asks),
    ...part("Why", found.why === null ? [] : [found.why]),
    ...part("Compiles to", found.compiled),
    ...found.machines.flatMap((rows) => part("Steps", machineTable(rows))),
    ...part("Decided", [...found.decided.flatMap(formLines), ...found.finality]),
    ...part("Keeps", [found.keeps]),
    ...part("Reads", readLines(found)),
    ...part("Codes", codeLines(found)),
  ].join("\n");
}

function formLines(form: FormExplanation): readonly string[] {
  return [
    `${form.form}, for ${form.instance}`,
    `  satisfied   ${form.satisfied}`,
    `  violated    ${form.violated}`,
    `  until then  ${form.meanwhile}`,
    `  keeps       ${form.memory}`,
  ];
}

function machineTable(rows: readonly MachineRow[]): readonly string[] {
  return table([
    ["state", "allowed", "next state"],
    ...rows.map(({ state, allowed, next }) => [state, allowed, next]),
  ]);
}

function readLines({ reads }: Explanation): readonly string[] {
  const line = (what: string, words: readonly string[]): readonly string[] =>
    words.length === 0 ? [] : [`${what} ${words.join(", ")}`];
  return [
    ...line("kinds ", reads.kinds ?? ["every kind"]),
    ...line("names ", reads.names),
    ...line("fields", reads.fields),
    ...line("kept  ", reads.kept),
  ];
}

function codeLines({ codes }: Explanation): readonly string[] {
  return [
    ...(codes.violated.length === 0
      ? ["violated      never"]
      : [`violated      ${codes.violated.join(", ")}`]),
    ...(codes.inconclusive.length === 0 ? [] : [`inconclusive  ${codes.inconclusive.join(", ")}`]),
  ];
}
