/**
 * Approvals (`kind: approval`): this action, with these values, not expired, spent by one use, and void once
 * something came in between. An approval that does not say what it approves is a finding of its own.
 */
import type { SourceNode } from "../../source/yaml-source.ts";
import { readText } from "../map-reader.ts";
import { anyEvent, type Bind, type Path, type Pattern } from "../pattern.ts";
import type { Count } from "../program.ts";
import { without } from "./evidence.ts";
import { counting } from "./make-count.ts";
import { conditions, link } from "./make-link.ts";
import { pathInSignal, pathOfName, speaksOfCalls } from "./names.ts";
import { having, pastOptions, versionChanges } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

function approval(rule: RuleParts): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of", "before");
  const from = rule.pattern("from", "require");
  const whole = reader.require(
    "covers",
    "Add covers: what of the call was approved, such as [plan_id, amount].",
  );
  const { needs, ...past } = pastOptions(rule, of, from);
  const voids = rule
    .blockers("void_by", null, (node) => rule.eventOrKind(node))
    .map((blocker) => ({ ...blocker, bound: false }));
  const current = versionChanges(rule, "current", from);
  const calls = from !== null && speaksOfCalls(from);
  const said = (key: string, fallback: string): readonly Path[] => readSaid(rule, key, fallback, calls);
  const action = said("action", "action");
  const consequence = said("consequence", "consequence");
  const covers = rule.listOf("covers", (node) => readCover(rule, node, calls));
  const expires = past.validUntil;
  const defaultExpiry = saidIn(rule, "expires_at", calls, false).at(-1);
  if (of === null || from === null || whole === null) return null;
  const validUntil =
    expires ??
    (defaultExpiry === undefined
      ? null
      : { operand: { side: "w" as const, path: defaultExpiry }, unit: rule.unit() });
  const bind: readonly Bind[] = [...past.bind, fromFirst(["name"], action), ...covers];
  const options = {
    ...past,
    bind,
    validUntil,
    unlessBetween: [...past.unlessBetween, ...voids, ...current.map(({ blocker }) => blocker)],
  };
  const expiry =
    validUntil !== null && "side" in validUntil.operand && validUntil.operand.side === "w"
      ? [[validUntil.operand.path]]
      : [];
  const needed = [action, ...covers.map(pathsOf), consequence, ...expiry];
  const proof = having(from, [...needs, ...current.map(({ path }) => path)]);
  return {
    program: {
      kernel: "fold",
      parts: [link("past", "some", of, proof, options), incomplete(from, needed)],
    },
    expected: `${from.text} of this very ${of.text} before it${conditions({ ...options, bind: past.bind })}`,
    subjects: [from, of],
    guarded: of,
    proof: from,
  };
}

/** One instance an approval that lacks any of these, so that each is shown, and none where all are whole. */
function incomplete(from: Pattern, needed: readonly (readonly Path[])[]): Count {
  const lacks: Pattern = {
    ...from,
    kinds: null,
    name: null,
    tests: [],
    absent: [],
    where: [],
    not: null,
    boundary: null,
    namesStatus: false,
    anyOf: needed.map((paths) => ({ ...anyEvent, absent: paths, text: `no ${paths[0]?.join(".")}` })),
    text: "what it approves",
  };
  const whole: Pattern = { ...anyEvent, not: lacks, text: "whole" };
  return counting(without(from, whole, `${from.text} that does not say what it approves`), {
    max: 0,
    bind: [["id"]],
    code: "missing_attribute",
  });
}

const fromFirst = (anchor: Path, [first = ["id"], ...rest]: readonly Path[]): Bind => {
  // The last place is where it was asked, the ones before it where it was answered or edited.
  const all = [first, ...rest];
  return { anchor, witness: all.at(-1) ?? first, witnessFirst: all.slice(0, -1) };
};

const pathsOf = ({ witness, witnessFirst = [] }: Bind): readonly Path[] => [...witnessFirst, witness];

/** `plan_id`: that argument of the call, and what the approval says of it. `{a: …, w: …}`: two paths. */
function readCover(rule: RuleParts, node: SourceNode, calls: boolean): Bind | null {
  if (node.is === "map") return rule.pairOf(node, "covers");
  const name = readText(node, 'an entry of "covers"', rule.reader.problems);
  if (name === null) return null;
  // What a call was approved with are its arguments, whatever else is called so.
  if (/^[\w-]+$/.test(name)) return fromFirst(["args", name], saidIn(rule, name, calls, true));
  const path = pathOfName(rule, name, node);
  return path === null ? null : { anchor: path, witness: path };
}

function readSaid(rule: RuleParts, key: string, fallback: string, calls: boolean): readonly Path[] {
  const node = rule.reader.get(key);
  const name = node === null ? fallback : readText(node, `"${key}"`, rule.reader.problems);
  if (node === null || name === null || /^[\w-]+$/.test(name))
    return saidIn(rule, name ?? fallback, calls, true);
  const path = pathOfName(rule, name, node);
  return path === null ? saidIn(rule, fallback, calls, true) : [path];
}

/**
 * Where an approval says a thing, first to last: what was edited counts before what was answered, and that before
 * what was asked. A signal says it in its fields.
 */
function saidIn(rule: RuleParts, name: string, calls: boolean, asked: boolean): readonly Path[] {
  if (!calls) {
    const own = pathInSignal(rule, name);
    const { fields } = rule.context.vocabulary;
    return [fields.has("edited") ? ["edited", name] : ["attr", "agent", "edited", name], own];
  }
  return asked
    ? [
        ["result", "edited", name],
        ["result", name],
        ["args", name],
      ]
    : [["result", name]];
}

export const approvalKinds: readonly RuleKind[] = [
  { kind: "approval", category: "safety_gate", build: approval },
];
