import type { CaseState } from "../../src/cli/case-run.ts";

/** Deliveries of a case, cut into entries. */
export type Entries = readonly (readonly number[])[];

/** A small fixed generator, so that a failing arrangement comes again. */
function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const arrangements: readonly { readonly name: string; arrange(count: number): Entries }[] = [
  {
    name: "reversed, one an entry",
    arrange: (count) =>
      places(count)
        .reverse()
        .map((place) => [place]),
  },
  { name: "shuffled, in one entry", arrange: (count) => [shuffled(places(count), 7)] },
  {
    name: "shuffled and every one twice, split",
    arrange: (count) => split(shuffled([...places(count), ...places(count)], 11), 3),
  },
  { name: "shuffled again, two an entry", arrange: (count) => split(shuffled(places(count), 23), 2) },
];

const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);

function shuffled(list: readonly number[], seed: number): readonly number[] {
  const next = random(seed);
  return list
    .map((place) => ({ place, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ place }) => place);
}

function split(list: readonly number[], size: number): Entries {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Everything that must not depend on the order of arrival. */
export function verdictsOf({ runs }: Pick<CaseState, "runs">): readonly unknown[] {
  return runs
    .flatMap((run) =>
      run.verdicts.map(({ contract, rule, scope, scopeKey, result }) => ({
        rule: `${contract.name}/${rule.id}`,
        scope: `${scope} ${scopeKey}`,
        verdict: result.verdict,
        final: result.final,
        code: result.code,
        instances: result.instances
          .map(({ anchor, key, verdict, code, witness, nearMisses }) => ({
            anchor,
            key,
            verdict,
            code,
            witness,
            nearMisses,
          }))
          .sort((a, b) => compare(`${a.anchor} ${a.key}`, `${b.anchor} ${b.key}`)),
      })),
    )
    .sort((a, b) => compare(`${a.scope} ${a.rule}`, `${b.scope} ${b.rule}`));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
