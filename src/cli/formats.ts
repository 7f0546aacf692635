import type { AppliedBaseline } from "./baseline.ts";
import { InputError } from "./input-error.ts";
import { githubReport } from "./report-github.ts";
import { jsonReport } from "./report-json.ts";
import { junitReport } from "./report-junit.ts";
import { type SarifInput, sarifReport } from "./report-sarif.ts";
import { textReport } from "./report-text.ts";
import { colour, plain } from "./style.ts";

export const formats = ["text", "json", "junit", "sarif", "github"] as const;
export type Format = (typeof formats)[number];

export interface FormatInput extends SarifInput {
  /** null: the check has no baseline. */
  readonly baseline: AppliedBaseline | null;
  /** Also what was decided about each event. */
  readonly trace: boolean;
}

export function formatOf(word: string): Format {
  const known = formats.find((candidate) => candidate === word);
  if (known !== undefined) return known;
  throw new InputError("--format", `there is no format named "${word}"`, `Use ${formats.join(", ")}.`);
}

/** Formats that have a place for what was decided about each event. */
export const tracedFormats: readonly Format[] = ["text", "json"];

/** @param color for text alone; what machines read has none. */
export function reportAs(format: Format, input: FormatInput, color: boolean): string {
  switch (format) {
    case "text":
      return textReport(input, color ? colour : plain);
    case "json":
      return jsonReport(input);
    case "junit":
      return junitReport(input);
    case "sarif":
      return sarifReport(input);
    case "github":
      return githubReport(input);
  }
}
