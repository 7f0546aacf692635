/** What a compiled rule looks at: the fields it reads, the kinds it speaks of, and what must be kept for it. */
import { canonical, revisionOf } from "./canonical.ts";
import { type Commutes, readsOfCommutes } from "./commuting.ts";
import type { EffectLedger } from "./ledger.ts";
import type { Bind, Comparison, Operand, Path, Pattern, ValueTest } from "./pattern.ts";
import type { Blocker, Each, Program, Stretch } from "./program.ts";
import type { AppliesTest, Projection, Rule, Scope, ToolTraits } from "./rule.ts";
import { toolKinds } from "./words.ts";

/** Every pattern of a program, those inside patterns included. */
export function patternsOf(program: Program): readonly Pattern[] {
  return topPatterns(program).flatMap(withInner);
}

function topPatterns(program: Program): readonly Pattern[] {
  switch (program.kernel) {
    case "link":
      return [program.anchor, program.witness, ...program.unlessBetween.map((blocker) => blocker.match)];
    case "count":
      return [program.of];
    case "machine":
      return program.transitions.flatMap(({ on, owner }) => (owner === null ? [on] : [on, owner]));
    case "fold":
      return program.parts.flatMap(topPatterns);
    case "guard":
      return [program.if, ...topPatterns(program.then)];
    case "stretch":
      return [...edgesOf(program), ...topPatterns(program.then)];
  }
}

const edgesOf = ({ after, before }: Stretch): readonly Pattern[] =>
  [after, before].filter((pattern) => pattern !== null);

const withInner = (pattern: Pattern): readonly Pattern[] => [
  pattern,
  ...pattern.anyOf.flatMap(withInner),
  ...(pattern.not === null ? [] : withInner(pattern.not)),
];

/** Kinds of events that can matter to the program; null: any. */
export function kindsOf(program: Program): ReadonlySet<string> | null {
  switch (program.kernel) {
    case "fold":
      return union(program.parts.map(kindsOf));
    case "guard":
      return union([kindsOfPattern(program.if), kindsOf(program.then)]);
    case "stretch":
      return union([...edgesOf(program).map(kindsOfPattern), kindsOf(program.then)]);
    case "machine": {
      const named = union(program.transitions.map((transition) => kindsOfPattern(transition.on)));
      // Anything that is not listed is a violation, so every call matters.
      return program.unlisted === "violate" ? union([named, toolKinds]) : named;
    }
    default:
      return union(topPatterns(program).map(kindsOfPattern));
  }
}

function kindsOfPattern(pattern: Pattern): ReadonlySet<string> | null {
  if (pattern.kinds !== null) return pattern.kinds;
  return pattern.anyOf.length > 0 ? union(pattern.anyOf.map(kindsOfPattern)) : null;
}

function union(sets: readonly (ReadonlySet<string> | null)[]): ReadonlySet<string> | null {
  const all = new Set<string>();
  for (const set of sets) {
    if (set === null) return null;
    for (const kind of set) all.add(kind);
  }
  return all;
}

/** Every path that a rule reads of any event, each once: its program's, and the key of its scope. */
export function readsOf(program: Program, scope: Scope = { is: "run" }): readonly Path[] {
  const key = scope.is === "key" ? [scope.path] : [];
  const paths = [...patternsOf(program).flatMap(pathsOfPattern), ...ownPaths(program), ...key];
  return [...new Map(paths.map((path) => [canonical(path), path])).values()];
}

/** Every path that a pattern and those inside it read. */
export function readsOfPattern(pattern: Pattern): readonly Path[] {
  return withInner(pattern).flatMap(pathsOfPattern);
}

function pathsOfPattern(pattern: Pattern): readonly Path[] {
  return [
    ...(pattern.name === null ? [] : [["name"]]),
    ...pattern.tests.flatMap(({ path, test }) => pathsOfTest(path, test)),
    ...pattern.absent,
    ...pattern.where.flatMap(pathsOfComparison),
  ];
}

/** A test of fields reads those fields only, not the whole value. */
export function pathsOfTest(path: Path, test: ValueTest): readonly Path[] {
  switch (test.op) {
    case "fields":
      return test.fields.flatMap((field) => pathsOfTest([...path, ...field.path], field.test));
    case "one_of":
    case "all":
      return test.tests.flatMap((part) => pathsOfTest(path, part));
    default:
      return [path];
  }
}

const pathsOfOperand = (operand: Operand): readonly Path[] =>
  "side" in operand && operand.side !== "reg" ? [operand.path] : [];

const pathsOfComparison = (comparison: Comparison): readonly Path[] => [
  ...pathsOfOperand(comparison.left),
  ...pathsOfOperand(comparison.right),
];

const pathsOfBind = ({ anchor, witness, witnessFirst = [] }: Bind): readonly Path[] => [
  anchor,
  ...witnessFirst,
  witness,
];

const pathsOfEach = ({ anchor, witness }: Each): readonly Path[] => [
  anchor,
  ...(witness === "reference" ? [] : witness),
];

const pathsOfBlocker = (blocker: Blocker): readonly Path[] => blocker.where.flatMap(pathsOfComparison);

function ownPaths(program: Program): readonly Path[] {
  switch (program.kernel) {
    case "link":
      return [
        ...program.bind.flatMap(pathsOfBind),
        ...(program.commutes ?? []).flatMap(readsOfCommutes),
        ...(program.each === undefined ? [] : pathsOfEach(program.each)),
        ...program.where.flatMap(pathsOfComparison),
        ...(program.validUntil === null ? [] : pathsOfOperand(program.validUntil.operand)),
        ...program.unlessBetween.flatMap(pathsOfBlocker),
      ];
    case "count":
      return [...program.bind, ...program.distinct];
    case "machine":
      return [
        ...program.bind,
        ...program.transitions.flatMap(({ when, needs, gives, set }) => [
          ...when.flatMap(pathsOfComparison),
          ...needs,
          ...gives,
          ...[...set.values()].flatMap(pathsOfOperand),
        ]),
      ];
    case "fold":
      return program.parts.flatMap(ownPaths);
    case "guard":
      return ownPaths(program.then);
    case "stretch":
      return [...program.bind.flatMap(pathsOfBind), ...ownPaths(program.then)];
  }
}

/** What a contract says beside its rules that events are read for. */
interface BesideRules {
  readonly tools: ReadonlyMap<string, ToolTraits>;
  readonly commutes: readonly Commutes[];
  readonly ledgers: readonly EffectLedger[];
  readonly appliesTo: readonly AppliesTest[];
}

/** What effect events are made by: the patterns of the calls, and where their fields are read. */
function readsOfLedger(ledger: EffectLedger): readonly Path[] {
  return [...patternsOfLedger(ledger).flatMap(pathsOfPattern), ...Object.values(ledger.paths).flat()];
}

function patternsOfLedger(ledger: EffectLedger): readonly Pattern[] {
  const { tool, intent, lookup, notFound, compensation, claim } = ledger;
  const patterns = [tool, intent, lookup, notFound, compensation, claim];
  return patterns.filter((pattern) => pattern !== null).flatMap(withInner);
}

/** What a call can have of the HTTP requests below it, and what is found by that. */
const httpFields: ReadonlySet<string> = new Set([
  "key",
  "if_match",
  "version",
  "outcome",
  "attempt",
  "retryable",
  "conflict",
]);

export function projectionOf(
  rules: readonly Rule[],
  { tools, commutes, ledgers, appliesTo }: BesideRules,
  keepEverything: boolean,
): Projection {
  const traitPaths = [...tools.values()].flatMap((traits) => [
    ...(traits.resource === null ? [] : [traits.resource]),
    ...(traits.slot?.is === "paths" ? traits.slot.paths : []),
    ...[...traits.outcome.values()].flatMap((tests) =>
      tests.flatMap(({ path, test }) => pathsOfTest(path, test)),
    ),
  ]);
  const paths = [
    ...rules.flatMap((rule) => rule.reads),
    ...traitPaths,
    ...commutes.flatMap((entry) => [
      ...withInner(entry.match).flatMap(pathsOfPattern),
      ...readsOfCommutes(entry),
    ]),
    ...ledgers.flatMap(readsOfLedger),
    ...appliesTo.map(({ path }) => path),
  ];
  const inside = (root: string): readonly Path[] => {
    const rests = paths.filter((path) => path[0] === root).map((path) => path.slice(1));
    return [...new Map(rests.map((rest) => [canonical(rest), rest])).entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, rest]) => rest);
  };
  const patterns = [
    ...rules.flatMap((rule) => patternsOf(rule.program)),
    ...ledgers.flatMap(patternsOfLedger),
  ];
  const spanNames = patterns.flatMap((pattern) =>
    pattern.tests.filter(({ path }) => path[0] === "span_name").map(({ test }) => test),
  );
  const kept = {
    all: keepEverything,
    args: inside("args"),
    result: inside("result"),
    attr: new Set(
      inside("attr")
        .flatMap((path) => path.map((_, index) => path.slice(0, index + 1).join(".")))
        .sort(),
    ),
    spanNames,
    steps: patterns.some((pattern) => pattern.kinds?.has("step")),
    http: ledgers.length > 0 || paths.some(([root = ""]) => httpFields.has(root)),
  };
  return { id: revisionOf(kept), ...kept };
}
