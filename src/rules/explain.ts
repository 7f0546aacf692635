/**
 * A rule in words: what it asks, what it compiles to, when it can be decided, what it keeps, what it reads and
 * which codes it gives. Data only; `cli` prints it. A function of the compiled rule, so what is said here is what
 * is judged, whatever the file says.
 */
import { formatDuration } from "../model/time.ts";
import type { Category, Code, Severity } from "../model/verdict.ts";
import { codesOf, doubtsOf } from "./explain-codes.ts";
import { type FormExplanation, formsOf, pathsInWords } from "./explain-forms.ts";
import { kernelLines, type MachineRow, machineRows, machinesOf } from "./explain-kernel.ts";
import type { Path, ValueTest } from "./pattern.ts";
import type { Program } from "./program.ts";
import { patternsOf } from "./reads.ts";
import type { Rule } from "./rule.ts";

export interface Explanation {
  readonly contract: string;
  readonly rule: string;
  readonly kind: string;
  readonly file: string;
  readonly line: number;
  readonly title: string | null;
  readonly why: string | null;
  readonly severity: Severity;
  readonly category: Category;
  readonly class: Rule["class"];
  readonly stage: Rule["stage"];
  /** What it asks, as sentences. */
  readonly asks: readonly string[];
  /** The kernels it compiles to, one a line, nested by two blanks. */
  readonly compiled: readonly string[];
  /** One entry a kernel, equal ones once. */
  readonly decided: readonly FormExplanation[];
  /** What holds for the rule beyond each instance. */
  readonly finality: readonly string[];
  /** How many instances are kept at most, and for how long. */
  readonly bound: string;
  /** The bound of its memory in one sentence: `bound`, and what each instance keeps besides the events themselves. */
  readonly keeps: string;
  readonly reads: RuleReads;
  readonly codes: {
    readonly violated: readonly Code[];
    readonly inconclusive: readonly Code[];
  };
  /** The table of each machine; empty where the rule has none. */
  readonly machines: readonly (readonly MachineRow[])[];
  readonly revision: string;
}

/** Which events a rule looks at, and what of them has to be kept. */
export interface RuleReads {
  /** Event kinds; null: every kind. */
  readonly kinds: readonly string[] | null;
  /** Names, globs and expressions of its patterns; empty where none is named. */
  readonly names: readonly string[];
  /** Fields of events. */
  readonly fields: readonly string[];
  /** Paths inside arguments, results and attributes: what survives normalising for this rule. */
  readonly kept: readonly string[];
}

export function explainRule(rule: Rule): Explanation {
  const forms = isEndless(rule) ? formsOf(rule.program).map(withoutClose) : formsOf(rule.program);
  const decided = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  return {
    contract: rule.contract,
    rule: rule.id,
    kind: rule.kind,
    file: rule.file,
    line: rule.range.line,
    title: rule.title,
    why: rule.why,
    severity: rule.severity,
    category: rule.category,
    class: rule.class,
    stage: rule.stage,
    asks: asksOf(rule),
    compiled: kernelLines(rule.program),
    decided,
    finality: finalityOf(rule),
    bound: boundOf(rule),
    keeps: keepsOf(boundOf(rule), decided),
    reads: readsInWords(rule),
    codes: { violated: codesOf(rule), inconclusive: rule.onUnknown === "violate" ? [] : doubtsOf(rule) },
    machines: machinesOf(rule.program).map(machineRows),
    revision: rule.revision,
  };
}

/** Scopes that never close: what the end of a scope would decide stays as it is. */
const isEndless = ({ scope }: Rule): boolean => scope.is === "all" || scope.is === "key";

function withoutClose(form: FormExplanation): FormExplanation {
  const open = (text: string): string =>
    text === "when the scope closes"
      ? "never for good, since the scope does not close"
      : text.replaceAll(", or when the scope closes", "").replaceAll(", or the scope closed", "");
  return { ...form, satisfied: open(form.satisfied), violated: open(form.violated) };
}

function asksOf(rule: Rule): readonly string[] {
  const says = [`${rule.expected}.`, `Judged ${scopeInWords(rule)}.`];
  if (rule.mustApply) says.push("Where it has nothing to say, that is a violation.");
  else if (rule.pairRequired) says.push(missingSide(rule));
  else says.push(...vacuous(rule.program, unitOf(rule)));
  if (rule.onUnknown !== "inconclusive") {
    says.push(`What stays unknown counts as ${rule.onUnknown === "violate" ? "violated" : "satisfied"}.`);
  }
  const { evidence, tie, skew } = rule.clock;
  if (evidence === "causal") says.push("Only causes prove an order: clocks prove nothing.");
  if (tie === "unknown") says.push("Equal stamps prove no order.");
  if (skew !== undefined) {
    says.push(
      skew === null
        ? "Stamps of two clocks prove no order."
        : `Stamps of two clocks prove an order when they are more than ${formatDuration(skew)} apart.`,
    );
  }
  if (rule.stage === "trial") says.push("On trial: judged and shown, never an alert and never a failure.");
  if (rule.class === "preference") says.push("A preference: recorded as drift, never an alert.");
  return says;
}

function missingSide(rule: Rule): string {
  switch (rule.missingAfter) {
    case "violated":
      return "Both must happen: a run that lacks either is a violation.";
    case "vacuous":
      return "A run without the later one is not judged.";
    case null:
      return "Both must happen in check and test; serve does not judge a run without the later one.";
  }
}

/** Without an anchor there is nothing to judge; counts and sequences judge nothing happening too. */
function vacuous(program: Program, unit: string): readonly string[] {
  switch (program.kernel) {
    case "link":
      return program.need === "apart"
        ? [`A ${unit} with fewer than two ${program.anchor.text} is not judged.`]
        : [`A ${unit} without ${program.anchor.text} is not judged.`];
    case "count":
      return program.bind.length === 0
        ? [`A ${unit} in which none happens is judged too: zero is a number.`]
        : [`Each ${pathsInWords(program.bind)} is counted for itself; a ${unit} without any is not judged.`];
    case "machine":
      return program.judgedWithoutStep ? [] : [`A ${unit} without one of its steps is not judged.`];
    case "fold":
      return [];
    case "guard":
      return [`A ${unit} without ${program.if.text} is not judged.`];
    case "stretch":
      return vacuous(program.then, unit);
  }
}

/** What a rule is judged over, as a noun. */
function unitOf({ scope }: Rule): string {
  if (scope.is === "key") return `value of ${scope.path.join(".")}`;
  return scope.is === "all" ? "stream" : scope.is;
}

function scopeInWords(rule: Rule): string {
  switch (rule.scope.is) {
    case "run":
      return "within each run";
    case "conversation":
      return "over all runs of a conversation";
    case "all":
      return "over everything that is seen, whatever the run";
    case "key":
      return `over all events of one ${rule.scope.path.join(".")}, whatever the run`;
  }
}

function finalityOf(rule: Rule): readonly string[] {
  const forms = formsOf(rule.program);
  const onlyMin =
    rule.program.kernel === "count" && rule.program.max === null && rule.program.bind.length === 0;
  const says = [
    "The rule is violated for good with its first instance that is.",
    isEndless(rule) && !onlyMin
      ? "It is never satisfied for good: its scope does not close, and another instance may come."
      : onlyMin
        ? "A minimum once met stays met: the rule is satisfied for good then."
        : "It is satisfied for good when its scope closes, since another instance may come until then.",
  ];
  if (forms.length > 0 && forms.every(({ waitsForClose }) => waitsForClose)) {
    says.push("No violation is known before the scope closes: give it a time limit to hear of it earlier.");
  }
  says.push(
    rule.decisionWait === null
      ? "It waits for late spans as long as the configuration says (decision_wait)."
      : `It waits ${formatDuration(rule.decisionWait)} for late spans.`,
  );
  return says;
}

function boundOf(rule: Rule): string {
  const keys = keyPaths(rule.program);
  const per = keys.length === 0 ? "one" : `one for each different ${pathsInWords(keys)}`;
  const until = {
    run: "until the run is forgotten",
    conversation: "until the conversation is forgotten",
    all: "until nothing can match it any more",
    key: "until nothing can match it any more",
  }[rule.scope.is];
  return `${per} in ${rule.scope.is === "all" ? "all traffic" : `a ${unitOf(rule)}`}, ${until}`;
}

function keepsOf(bound: string, decided: readonly FormExplanation[]): string {
  const kept = [...new Set(decided.map(({ memory }) => memory))];
  return [bound, ...kept.map((memory) => `of each ${memory}`)].join("; ");
}

function keyPaths(program: Program): readonly Path[] {
  switch (program.kernel) {
    case "link":
      return program.bind.map(({ anchor }) => anchor);
    case "count":
    case "machine":
      return program.bind;
    case "fold":
      return distinct(program.parts.flatMap(keyPaths));
    case "guard":
    case "stretch":
      return keyPaths(program.then);
  }
}

const distinct = (paths: readonly Path[]): readonly Path[] => [
  ...new Map(paths.map((path) => [path.join("."), path])).values(),
];

const inside: ReadonlySet<string> = new Set(["args", "result", "attr"]);

function readsInWords(rule: Rule): RuleReads {
  const paths = rule.reads.map((path) => path.join("."));
  const kept = rule.reads.filter(([root]) => inside.has(root ?? "")).map((path) => path.join("."));
  const names = patternsOf(rule.program).flatMap(({ name }) => (name === null ? [] : namesOf(name)));
  return {
    kinds: rule.kinds === null ? null : [...rule.kinds].sort(),
    names: [...new Set(names)].sort(),
    fields: paths.filter((path) => !kept.includes(path)).sort(),
    kept: kept.sort(),
  };
}

/** The names that a test of a name accepts, as they are written. */
export function namesOf(test: ValueTest): readonly string[] {
  switch (test.op) {
    case "equals":
      return [String(test.value)];
    case "one_of":
      return test.tests.flatMap(namesOf);
    case "glob":
      return [test.glob];
    case "matches":
      return [`/${test.pattern}/`];
    default:
      return [];
  }
}
