/**
 * `--baseline FILE`: drift that is known. What it lists does not fail a check, what it does not list does, and
 * what it lists and no longer happens is said, so that the list can shrink.
 *
 * It holds what needs review and what is drift, never what blocks: that takes an approval, with a name and an
 * end. Traces are recorded anew at every run of a pipeline, with new ids; so an entry names the contract, the
 * rule, the trace file, the verdict, the code and the event's name, and counts how often.
 */
import { z } from "zod";
import { plainPath } from "./approvals.ts";
import type { Finding } from "./findings.ts";
import { InputError } from "./input-error.ts";

export const baselineSchema = "toolorder.baseline/1";

const entryShape = z.strictObject({
  contract: z.string(),
  rule: z.string(),
  file: z.string(),
  verdict: z.enum(["violated", "inconclusive"]),
  code: z.string().nullable(),
  event: z.string().nullable(),
  count: z.number().int().min(1),
});

const fileShape = z.strictObject({ schema: z.literal(baselineSchema), findings: z.array(entryShape) });

export type BaselineEntry = Readonly<z.infer<typeof entryShape>>;

export interface AppliedBaseline {
  readonly findings: readonly Finding[];
  readonly known: number;
  readonly fresh: number;
  /** What the baseline lists and did not happen, with how often it is missing. */
  readonly gone: readonly BaselineEntry[];
}

export function readBaseline(file: string, text: string): readonly BaselineEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(file, "the baseline is not JSON", rewrite);
  }
  const read = fileShape.safeParse(value);
  if (read.success) return read.data.findings;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new InputError(file, `this is no baseline of ${baselineSchema}${where}: ${issue?.message}`, rewrite);
}

const rewrite = "Write it anew with --write-baseline; it is made by the command, not by hand.";

/** Sorted, so that a change of the baseline reads well in a review. */
export function baselineText(findings: readonly Finding[]): string {
  const counts = countByEntry(findings.filter(belongs));
  const entries = [...counts.values()].sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1));
  return `${JSON.stringify({ schema: baselineSchema, findings: entries }, null, 2)}\n`;
}

export function applyBaseline(
  findings: readonly Finding[],
  entries: readonly BaselineEntry[],
): AppliedBaseline {
  const left = new Map<string, BaselineEntry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    left.set(key, { ...entry, count: entry.count + (left.get(key)?.count ?? 0) });
  }
  let known = 0;
  let fresh = 0;
  const standing = findings.map((finding): Finding => {
    if (!belongs(finding)) return finding;
    const key = keyOf(entryOf(finding));
    const entry = left.get(key);
    if (entry === undefined || entry.count === 0) {
      fresh += 1;
      return { ...finding, standing: { is: "new" } };
    }
    left.set(key, { ...entry, count: entry.count - 1 });
    known += 1;
    return { ...finding, standing: { is: "known" } };
  });
  return { findings: standing, known, fresh, gone: [...left.values()].filter(({ count }) => count > 0) };
}

/** Rules on trial never fail, so that nothing of theirs is to be known; approved findings have their answer. */
export function belongs({ tier, judged, standing }: Finding): boolean {
  return tier !== "blocking" && judged.rule.stage !== "trial" && standing.is !== "approved";
}

function countByEntry(findings: readonly Finding[]): ReadonlyMap<string, BaselineEntry> {
  const counts = new Map<string, BaselineEntry>();
  for (const finding of findings) {
    const entry = entryOf(finding);
    const key = keyOf(entry);
    counts.set(key, { ...entry, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return counts;
}

function entryOf({ run, judged, instance, verdict, files }: Finding): BaselineEntry {
  const anchor = run.events.find(({ id }) => id === instance.anchor);
  return {
    contract: judged.contract.name,
    rule: judged.rule.id,
    file: plainPath(files[0] ?? "-"),
    verdict,
    code: instance.code,
    event: anchor === undefined ? null : (anchor.name ?? anchor.kind),
    count: 1,
  };
}

function keyOf({ contract, rule, file, verdict, code, event }: BaselineEntry): string {
  return JSON.stringify([contract, rule, file, verdict, code, event]);
}

const sortText = ({ file, contract, rule, verdict, code, event }: BaselineEntry): string =>
  JSON.stringify([file, contract, rule, verdict, code, event]);
