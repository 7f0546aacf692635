/** The review sheet on a terminal, and as Markdown for a ticket or a pull request. */
import { counted, type Item, type Question, type Review } from "./review-item.ts";
import type { Paste } from "./review-paste.ts";
import type { Style } from "./style.ts";

export function reviewText(review: Review, style: Style): string {
  const marks = { ok: style.green("ok  "), gap: style.red("gap "), note: style.yellow("note") };
  const item = ({ mark, text, paste }: Item): readonly string[] => [
    `   ${marks[mark]} ${text}`,
    ...(paste === null
      ? []
      : [`        ${style.dim(whereTo(paste))}`, ...paste.lines.map((line) => `          ${line}`)]),
  ];
  return [
    `${style.bold(`Review of ${review.contract}`)}  ${style.dim(about(review))}`,
    ...review.questions.flatMap((question) => [
      "",
      style.bold(`${question.number}. ${question.title}`),
      ...question.items.flatMap(item),
    ]),
    "",
    closing(review),
  ].join("\n");
}

export function reviewMarkdown(review: Review): string {
  return [
    `# Review of ${inline(review.contract)}`,
    "",
    about(review),
    ...review.questions.flatMap(markdownQuestion),
    "",
    closing(review),
  ].join("\n");
}

/** Gaps are open boxes, so that a ticket shows how many are left. */
function markdownQuestion({ number, title, items }: Question): readonly string[] {
  const boxes = { ok: "- [x] ", gap: "- [ ] ", note: "- " };
  return [
    "",
    `## ${number}. ${title}`,
    "",
    ...items.flatMap(({ mark, text, paste }) => [
      `${boxes[mark]}${inline(text)}`,
      ...(paste === null
        ? []
        : [
            "",
            `  ${whereTo(paste)}`,
            "",
            "  ```yaml",
            ...paste.lines.map((line) => `  ${line}`),
            "  ```",
            "",
          ]),
    ]),
  ];
}

function whereTo({ under, replaces }: Paste): string {
  return `paste under ${under}:${replaces ? ", in place of the tool's entry" : ""}`;
}

function about({ file, owner, runs }: Review): string {
  return [
    file,
    ...(owner === null ? [] : [`owner ${owner}`]),
    runs === null ? "no traces" : counted(runs, "run"),
  ].join(", ");
}

function closing({ questions }: Review): string {
  const gaps = questions.flatMap(({ items }) => items.filter(({ mark }) => mark === "gap"));
  const pasted = gaps.filter(({ paste }) => paste !== null).length;
  if (gaps.length === 0) return "No gaps.";
  return `${counted(gaps.length, "gap")}, ${pasted} with something to paste.`;
}

/** Names come from contracts and traces: they must not become markup. */
const inline = (text: string): string => text.replaceAll(/[\\`*_[\]<>|]/g, "\\$&");
