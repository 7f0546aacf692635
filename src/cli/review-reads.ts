/** Questions 4 and 5: what must be read before it is used, and before it is written. */

import { counted, gap, type Item, note, ok, type Subject } from "./review-item.ts";
import { gatePaste, toolPattern, word } from "./review-paste.ts";
import { acts, demandsOf, namesTool, ruleName } from "./review-rules.ts";
import type { Flow } from "./review-traffic.ts";

export function reads(subject: Subject): readonly Item[] {
  const { contract, traffic } = subject;
  const told = contract.rules
    .filter(({ category }) => category === "information_dependency" || category === "evidence")
    .map((rule) => ok(`${rule.expected} (${ruleName(rule)})`));
  const flows = (traffic?.flows ?? []).filter(({ from, to }) => !isOrdered(subject, from, to));
  const seen = merged(flows).map(({ from, to, path, first, late }): Item => {
    const runs = first + late;
    const text =
      late > 0
        ? `${path} of ${to} was used before ${from} had read it in ${late} of ${counted(runs, "run")}, and no rule says which comes first`
        : `${path} of ${to} was a result of ${from} in ${counted(runs, "run")}, and no rule says that it must be`;
    return gap(
      text,
      gatePaste(
        {
          id: `${from}-before-${to}`,
          require: toolPattern(from, "success"),
          before: toolPattern(to),
          severity: "high",
          category: "information_dependency",
          why: `${to} takes ${path} from what ${from} found.`,
        },
        subject.taken,
      ),
    );
  });
  const items = [...told, ...seen];
  return items.length > 0
    ? items
    : [note("no rule says what must be read first (category: information_dependency)")];
}

/** One line a pair of tools: the first path speaks for the others. */
function merged(flows: readonly Flow[]): readonly Flow[] {
  const byPair = new Map<string, Flow>();
  for (const flow of flows) {
    const key = `${flow.from}\n${flow.to}`;
    const known = byPair.get(key);
    if (known === undefined || flow.late > known.late) byPair.set(key, flow);
  }
  return [...byPair.values()];
}

/** Whether some rule says that one comes before the other. */
export function isOrdered({ contract }: Subject, from: string, to: string): boolean {
  return contract.rules.some(
    (rule) =>
      demandsOf(rule.program).some(
        ({ anchor, witness }) => namesTool(witness, from) && namesTool(anchor, to),
      ) ||
      (rule.program.kernel === "machine" &&
        [from, to].every(
          (tool) =>
            rule.program.kernel === "machine" &&
            rule.program.transitions.some(({ on }) => namesTool(on, tool)),
        )),
  );
}

export function writes(subject: Subject): readonly Item[] {
  const { set, tools, contract } = subject;
  const writing = tools.filter((tool) => acts(set.tools.get(tool)));
  if (writing.length === 0) return [note("no tool is declared to write (effect: write or external)")];
  return writing.map((tool): Item => {
    const readers = contract.rules.flatMap((rule) =>
      demandsOf(rule.program)
        .filter(
          ({ anchor, witness }) =>
            namesTool(anchor, tool) &&
            tools.some((name) => isReader(subject, name) && namesTool(witness, name)),
        )
        .map((link) => `${link.witness.text}${keysInWords(link.bind)} (${ruleName(rule)})`),
    );
    if (readers.length > 0) return ok(`${tool} after ${readers.join(", ")}`);
    const traits = set.tools.get(tool);
    const reader = traits?.reads ?? sameResource(subject, tool);
    if (reader === null) {
      return note(
        `${tool}: no rule reads before it; if it needs current state, name the tool that reads it (reads:)`,
      );
    }
    const resource = traits?.resource?.join(".");
    return gap(
      `${tool}: may write what it has not read`,
      gatePaste(
        {
          id: `read-before-${tool}`,
          require: toolPattern(reader, "success"),
          before: toolPattern(tool),
          ...(resource === undefined ? {} : { bind: resource }),
          severity: traits?.effect === "external" ? "critical" : "high",
          category: "read_before_write",
          why: `${tool} must not write over what ${word(reader)} would have shown.`,
        },
        subject.taken,
      ),
    );
  });
}

const keysInWords = (bind: readonly { readonly anchor: readonly string[] }[]): string =>
  bind.length === 0 ? "" : ` for the same ${bind.map(({ anchor }) => anchor.join(".")).join(" and ")}`;

const isReader = ({ set }: Subject, tool: string): boolean => set.tools.get(tool)?.effect === "read";

function sameResource({ set, tools }: Subject, tool: string): string | null {
  const resource = set.tools.get(tool)?.resource?.join(".");
  if (resource === undefined) return null;
  return (
    tools.find(
      (name) =>
        set.tools.get(name)?.effect === "read" && set.tools.get(name)?.resource?.join(".") === resource,
    ) ?? null
  );
}
