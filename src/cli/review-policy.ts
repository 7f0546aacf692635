/** Questions 6 to 10: branches, outcomes that count, what blocks, what is drift, and which rules are proven. */
import { actionOf } from "../processor/publish.ts";
import type { Rule } from "../rules/rule.ts";
import { toolKinds } from "../rules/words.ts";
import { counted, gap, type Item, note, ok, type Subject } from "./review-item.ts";
import { freeId, gatePaste, patternYaml, toolPattern } from "./review-paste.ts";
import { isOrdered } from "./review-reads.ts";
import { branchOf, demandsOf, isEnforced, mentions, namesOutcome, ruleName } from "./review-rules.ts";

export function branches(subject: Subject): readonly Item[] {
  const { contract, traffic } = subject;
  const taken = (matched: number): string =>
    traffic === null ? "" : `: taken in ${matched} of ${counted(traffic.runs, "run")}`;
  const items = contract.rules.flatMap((rule): readonly Item[] => {
    const branch = branchOf(rule.program);
    if (branch !== null) {
      return [ok(`${branch.text} (${ruleName(rule)})${taken(traffic?.matchedIn(branch) ?? 0)}`)];
    }
    const [link] = demandsOf(rule.program);
    if (link === undefined) return [];
    const matched = traffic?.matchedIn(link.anchor) ?? 0;
    const text = `${link.anchor.text} (${ruleName(rule)})${taken(matched)}`;
    if (!rule.pairRequired) return [ok(text)];
    if (traffic === null || matched === traffic.runs) return [note(`${text}; every run must take it`)];
    const [require, before] = [patternYaml(link.witness), patternYaml(link.anchor)];
    return [
      gap(
        `${text}, and the rule asks every run to take it`,
        require === null || before === null || link.bind.length > 0
          ? null
          : gatePaste(
              {
                id: `${rule.id}-if-taken`,
                require,
                before,
                severity: rule.severity,
                category: rule.category,
                why: `Only a run that takes ${link.anchor.text} owes ${link.witness.text}.`,
              },
              subject.taken,
            ),
      ),
    ];
  });
  return items.length > 0 ? items : [note("no rule speaks of a branch: every run is judged by all of them")];
}

export function outcomes(subject: Subject): readonly Item[] {
  const { contract, traffic } = subject;
  const counts = contract.rules.flatMap((rule) =>
    demandsOf(rule.program)
      .filter(
        ({ witness }) => witness.kinds === null || [...witness.kinds].some((kind) => toolKinds.has(kind)),
      )
      .map(({ witness }) =>
        namesOutcome(witness)
          ? ok(`${witness.text} counts (${ruleName(rule)})`)
          : note(`any outcome of ${witness.text} counts (${ruleName(rule)})`),
      ),
  );
  const retried = [...(traffic?.tools ?? [])]
    .filter(([, tool]) => tool.retried > 0)
    .map(([name, tool]) => note(`${name} failed and was called again ${counted(tool.retried, "time")}`));
  const items = [...counts, ...retried];
  return items.length > 0 ? items : [note("no rule asks for an outcome")];
}

export function blocking({ contract }: Subject): readonly Item[] {
  const by = (action: string): readonly Rule[] =>
    contract.rules.filter((rule) => isEnforced(rule) && actionOf(rule, "violated") === action);
  const line = (action: string, words: string): readonly Item[] => {
    const rules = by(action);
    return rules.length === 0 ? [] : [ok(`${words}: ${rules.map(({ id }) => id).join(", ")}`)];
  };
  const items = [
    ...line("block", "block"),
    ...line("block_or_approve", "block, or need an approval"),
    ...line("warn", "warn"),
  ];
  const stops = by("block").length + by("block_or_approve").length > 0;
  return stops ? items : [...items, note("no rule blocks: none that is enforced is critical or high")];
}

/** More would be a list that nobody reads. */
const mostVariants = 5;

/** By a rule, or by the values that one takes from the other: then question 4 asks for a rule. */
const isTold = (subject: Subject, from: string, to: string): boolean =>
  isOrdered(subject, from, to) ||
  (subject.traffic?.flows.some((flow) => flow.from === from && flow.to === to) ?? false);

export function drift(subject: Subject): readonly Item[] {
  const { contract, traffic } = subject;
  const recorded = contract.rules
    .filter((rule) => rule.class === "preference" || rule.severity === "low")
    .map((rule) =>
      ok(`${rule.expected} (${ruleName(rule)}${rule.class === "preference" ? ", a preference" : ""})`),
    );
  const variants = (traffic?.variants ?? [])
    .filter(({ first, second }) => !isTold(subject, first, second) && !isTold(subject, second, first))
    .sort(
      (a, b) =>
        Math.min(b.forwards, b.backwards) - Math.min(a.forwards, a.backwards) || (a.first < b.first ? -1 : 1),
    )
    .slice(0, mostVariants)
    .map(({ first, second, forwards, backwards }) => {
      const [usual, other, often, seldom] =
        forwards >= backwards ? [first, second, forwards, backwards] : [second, first, backwards, forwards];
      return gap(
        `${usual} came before ${other} in ${counted(often, "run")} and after it in ${seldom}, and no rule says whether that matters`,
        gatePaste(
          {
            id: `${usual}-before-${other}`,
            require: toolPattern(usual, "success"),
            before: toolPattern(other),
            severity: "low",
            category: "workflow",
            more: ["  class: preference"],
            why: `${usual} usually comes first; the other order is recorded as drift.`,
          },
          subject.taken,
        ),
      );
    });
  const items = [...recorded, ...variants];
  return items.length > 0
    ? items
    : [note("nothing is recorded as drift (severity: low, or class: preference)")];
}

export function stability(subject: Subject): readonly Item[] {
  const { contract, traffic, runs } = subject;
  const trial = contract.rules
    .filter(({ stage }) => stage === "trial")
    .map((rule) => note(`${rule.id} is on trial: judged and shown, never an alert`));
  const reasonless = contract.rules
    .filter((rule) => rule.severity === "critical" && rule.why === null)
    .map((rule) => note(`${rule.id} is critical and does not say why`));
  const people = [
    contract.reviewed === null
      ? note("the contract does not say who reviewed it (reviewed: {by, on})")
      : ok(`reviewed by ${contract.reviewed.by} on ${contract.reviewed.on}`),
    ...(contract.policy === null ? [note("the contract names no policy that it stands for (policy:)")] : []),
  ];
  const items = [...people, ...trial, ...reasonless];
  if (traffic === null) {
    items.push(note("no traces were given: whether rules are exercised is not known"));
  } else {
    items.push(...exercised(contract.rules, runs, traffic.runs), ...unmentioned(subject));
  }
  return items;
}

function exercised(rules: readonly Rule[], runs: Subject["runs"], total: number): readonly Item[] {
  const verdicts = runs.flatMap((run) => run.verdicts);
  return rules.map((rule): Item => {
    const own = verdicts.filter((judged) => judged.rule === rule && judged.result.verdict !== "vacuous");
    const violated = own.filter(({ result }) => result.verdict === "violated").length;
    if (own.length === 0) return gap(`${rule.id} was never exercised in ${counted(total, "run")}`);
    const text = `${rule.id} judged ${own.length} of ${counted(total, "run")}, ${violated} violated`;
    if (violated * 2 <= own.length || own.length < 4 || !isEnforced(rule)) return ok(text);
    return gap(`${text}: more often broken than kept, so let it run on trial first (stage: trial)`);
  });
}

function unmentioned(subject: Subject): readonly Item[] {
  const { contract, traffic } = subject;
  const free = [...(traffic?.tools ?? [])].filter(
    ([tool]) => !contract.rules.some((rule) => mentions(rule, tool)),
  );
  return free.map(([tool, seen]) =>
    gap(`${tool} was called ${counted(seen.calls, "time")}, and no rule mentions it`, {
      under: "rules",
      replaces: false,
      lines: [
        `- id: ${freeId(`count-${tool}`.replace(/[^\w-]/g, "_"), subject.taken)}`,
        "  kind: metric_count",
        `  of: ${toolPattern(tool)}`,
        "  severity: low",
        `  why: ${JSON.stringify(`Counted until somebody says in which order ${tool} may come.`)}`,
      ],
    }),
  );
}
