import type { Severity, Verdict } from "../model/verdict.ts";

/** Paints text for a terminal, or leaves it as it is. Decided once, where the command starts. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
}

const sgr =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`;

export const colour: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  yellow: sgr(33, 39),
  green: sgr(32, 39),
  cyan: sgr(36, 39),
};

const same = (text: string): string => text;
export const plain: Style = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };

export function paintSeverity(style: Style, severity: Severity, text: string): string {
  switch (severity) {
    case "critical":
      return style.bold(style.red(text));
    case "high":
      return style.red(text);
    case "medium":
      return style.yellow(text);
    case "low":
      return style.cyan(text);
  }
}

export function paintVerdict(style: Style, verdict: Verdict, text: string): string {
  if (verdict === "violated") return style.red(text);
  return verdict === "inconclusive" ? style.yellow(text) : text;
}
