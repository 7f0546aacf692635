import type { Range } from "../model/load-error.ts";
import { didYouMean, suggest } from "../source/suggest.ts";
import type { Path } from "./pattern.ts";
import type { ProblemList } from "./rule-error.ts";
import { openRoots } from "./words.ts";

/** The names a contract may use: built in, declared by contracts, or by mappings. */
export interface Vocabulary {
  readonly kinds: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
}

/**
 * `result.status` → ["result", "status"]. The root must be an event field; what is inside `args`, `result`
 * and `attr` is free. `tool` is another word for `name`.
 */
export function parsePath(
  text: string,
  range: Range,
  vocabulary: Vocabulary,
  problems: ProblemList,
): Path | null {
  const segments = text.trim().split(".");
  if (segments.some((segment) => segment === "" || /\s/.test(segment))) {
    problems.error(
      range,
      "bad-path",
      `"${text}" is not a path`,
      "Write names joined by single dots, such as args.plan_id.",
    );
    return null;
  }
  const [root = "", ...rest] = segments;
  if (root === "tool") return ["name", ...rest];
  if (vocabulary.fields.has(root)) return segments;
  problems.error(
    range,
    "unknown-field",
    `events have no field "${root}"`,
    adviceForField(text, segments, vocabulary),
  );
  return null;
}

function adviceForField(text: string, [root = "", ...rest]: Path, vocabulary: Vocabulary): string {
  const meant = suggest(root, vocabulary.fields);
  const dotted = [meant ?? "", ...rest].join(".");
  if (meant !== null && rest.length > 0 && openRoots.has(meant)) return `Did you mean "${dotted}"?`;
  if (["a", "w", "b", "e", "reg"].includes(root) && rest.length > 0) {
    return `Sides belong in comparisons only; here the path is "${rest.join(".")}".`;
  }
  if (rest.length > 0) return `For the span attribute of that name write "attr.${text}".`;
  return `${didYouMean(root, vocabulary.fields)}Inside arguments write args.${root}, inside results result.${root}; a field of your own is declared under fields.`;
}
