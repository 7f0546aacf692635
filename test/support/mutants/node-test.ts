/**
 * Stands in for `node:test` while mutants are tried: keeps the tests of a file instead of running them once, so
 * that one process can run those that a mutant concerns again and again. `describe` and `it` only, which is all
 * that the tests of the core use.
 */
export interface KeptTest {
  readonly name: string;
  readonly run: () => unknown;
}

export const kept: KeptTest[] = [];
const path: string[] = [];

type Body = (context: { readonly diagnostic: (message: string) => void }) => unknown;

export function describe(name: string, body: () => void): void {
  path.push(name);
  body();
  path.pop();
}

export function it(name: string, ...rest: readonly unknown[]): void {
  const body = rest.at(-1) as Body;
  kept.push({ name: [...path, name].join(" › "), run: () => body({ diagnostic: () => undefined }) });
}

export const test = it;
export default it;
