/** Warnings about one rule by itself: evidence that proves little, and rules that are hard to live with. */
import { formsOf } from "./explain-forms.ts";
import { ledgerKind } from "./ledger.ts";
import type { LintPlaces } from "./lint-places.ts";
import type { Bind, Comparison, Path, Pattern } from "./pattern.ts";
import { linksOf, type Program } from "./program.ts";
import type { Rule } from "./rule.ts";

export function lintRule(rule: Rule, places: LintPlaces): void {
  if (rule.severity === "critical" && rule.class === "invariant") {
    warnWeakEvidence(rule, places);
    warnModelWrittenIdentity(rule, places);
  }
  warnExactSequence(rule, places);
  warnMutexWithoutBind(rule, places);
  warnDecidedAtClose(rule, places);
  warnUnboundedState(rule, places);
}

/** What a model writes about itself. */
const generated: ReadonlySet<string> = new Set(["model_turn", "final_answer"]);

function isGenerated(pattern: Pattern): boolean {
  const { kinds } = pattern;
  if (kinds !== null) return [...kinds].every((kind) => generated.has(kind));
  return pattern.anyOf.length > 0 && pattern.anyOf.every(isGenerated);
}

function warnWeakEvidence(rule: Rule, places: LintPlaces): void {
  const weak = linksOf(rule.program).find(
    ({ need, quant, witness }) => need === "past" && quant === "some" && isGenerated(witness),
  );
  if (weak === undefined) return;
  places.warnRule(
    rule,
    ["require", "from", "first", "witness", "before", "all"],
    "weak-evidence",
    `${weak.witness.text} is text that the model wrote: it proves nothing about ${weak.anchor.text}`,
    "Ask for a tool call, an approval or another event that your program records.",
  );
}

/** Names of who acts, for whom, and under which key, without their separators. */
const identities: ReadonlySet<string> = new Set(
  ["user", "requester", "principal", "tenant", "request"]
    .flatMap((word) => [word, `${word}id`])
    .concat(["key", "idempotencykey", "effectkey", "requestkey"]),
);

const isIdentity = (path: Path): boolean =>
  identities.has((path.at(-1) ?? "").toLowerCase().replaceAll(/[^a-z0-9]/g, ""));

const isArgument = (path: Path): boolean => path[0] === "args";

function warnModelWrittenIdentity(rule: Rule, places: LintPlaces): void {
  for (const { binds, where } of keysOf(rule.program)) {
    const written = binds.find(
      ({ anchor, witness, witnessFirst = [] }) =>
        isIdentity(anchor) && [anchor, witness, ...witnessFirst].every(isArgument),
    );
    const known = [...binds.flatMap(({ anchor, witness }) => [anchor, witness]), ...where.flatMap(pathsOf)];
    if (written === undefined || known.some((path) => isIdentity(path) && !isArgument(path))) continue;
    const path = written.anchor.join(".");
    places.warnRule(
      rule,
      ["bind", "same"],
      "model-written-identity",
      `the model itself writes ${path}, so it decides whose it is`,
      "Also bind a field that your program stamps, such as user, request, key or attr.<name>.",
    );
    return;
  }
}

const pathsOf = ({ left, right }: Comparison): readonly Path[] =>
  [left, right].flatMap((operand) => ("side" in operand ? [operand.path] : []));

interface Keys {
  readonly binds: readonly Bind[];
  readonly where: readonly Comparison[];
}

function keysOf(program: Program): readonly Keys[] {
  switch (program.kernel) {
    case "link":
      return [{ binds: program.bind, where: program.where }];
    case "count":
    case "machine":
      return [{ binds: program.bind.map((path) => ({ anchor: path, witness: path })), where: [] }];
    case "fold":
      return program.parts.flatMap(keysOf);
    case "guard":
    case "stretch":
      return keysOf(program.then);
  }
}

function warnExactSequence(rule: Rule, places: LintPlaces): void {
  const { program } = rule;
  if (rule.kind !== "sequence" || program.kernel !== "machine" || program.unlisted !== "violate") return;
  places.warnRule(
    rule,
    ["mode"],
    "exact-sequence",
    "an exact sequence breaks with every retry and every harmless extra call",
    "Use gates for the pairs that matter, mode: in_order, or a machine with the steps that may repeat.",
  );
}

function warnMutexWithoutBind(rule: Rule, places: LintPlaces): void {
  const free = linksOf(rule.program).find(
    ({ need, bind, where, limit = 1 }) =>
      // A limit above one is about load, and that is everybody's.
      need === "apart" && limit === 1 && bind.length === 0 && where.length === 0,
  );
  if (free === undefined) return;
  places.warnRule(
    rule,
    ["of", "anchor"],
    "mutex-without-bind",
    `no two ${free.anchor.text} may overlap, not even about different things`,
    "Add bind: the path of what they share, such as bind: [args.account_id].",
  );
}

/** Where somebody must be told, only a violation that is known in time helps. */
function warnDecidedAtClose(rule: Rule, places: LintPlaces): void {
  const acts = rule.severity === "critical" || rule.severity === "high";
  if (!acts || rule.class === "preference" || rule.stage === "trial") return;
  // Of a ledger the list of open effects tells meanwhile.
  if (rule.kind === ledgerKind) return;
  const forms = formsOf(rule.program);
  if (forms.length === 0 || !forms.every(({ waitsForClose }) => waitsForClose)) return;
  const isTimed = linksOf(rule.program).some(({ need }) => need === "future");
  places.warnRule(
    rule,
    ["kind"],
    "decided-at-close",
    `no violation of this ${rule.severity} rule is known before its ${rule.scope.is === "conversation" ? "conversation" : "run"} is over`,
    isTimed
      ? "Add within: the longest time it may take."
      : "Judge it before a step that comes anyway, with a gate, or give it a lower severity.",
  );
}

function warnUnboundedState(rule: Rule, places: LintPlaces): void {
  // A ledger's counts are by key, and keys are let go of; its block has no word for a window.
  if (rule.kind === ledgerKind) return;
  const endless = rule.scope.is === "all" || rule.scope.is === "key";
  for (const count of countsOf(rule.program)) {
    if (count.window !== null) continue;
    const listed = count.distinct.length > 0 && count.min === null && count.max === null;
    if (!listed && !endless) continue;
    places.warnRule(
      rule,
      listed ? ["distinct"] : ["scope"],
      "unbounded-state",
      listed
        ? `every different ${count.distinct.map((path) => path.join(".")).join(" and ")} is kept: their number has no limit`
        : "its counts are kept for ever, since this scope never closes",
      listed ? "Add window, or count with max." : "Add window: how far back to count.",
    );
    return;
  }
}

function countsOf(program: Program): readonly Extract<Program, { kernel: "count" }>[] {
  switch (program.kernel) {
    case "count":
      return [program];
    case "fold":
      return program.parts.flatMap(countsOf);
    case "guard":
    case "stretch":
      return countsOf(program.then);
    default:
      return [];
  }
}
