/**
 * A process that has the instrumented sources and the tests of one area loaded, and runs against each mutant it
 * is given those tests that reach it, quickest first. Started by `pool.ts` in the copy of the checkout.
 *
 * A mutant that is reached while modules load is only seen by a process that starts with it
 * (`__STRYKER_ACTIVE_MUTANT__`): that one runs all its tests once.
 */
import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { KeptTest } from "./node-test.ts";

/** What Stryker's instrumented code reads and writes. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  /** Ours: reached mutants are no longer counted. */
  quiet?: boolean;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

/** Says which tests noticed. `reached`: by no test, only while modules load, or by these many tests. */
export interface Answer {
  readonly mutant: string;
  readonly noticed: boolean;
  readonly by: string | null;
}

export type Message =
  | { readonly type: "ready"; readonly onLoad: readonly string[]; readonly reached: readonly string[] }
  | { readonly type: "failing"; readonly test: string; readonly error: string }
  | { readonly type: "answer"; readonly answer: Answer }
  /** A test that passed before fails now without any mutant: this process is spoilt. */
  | { readonly type: "spoilt"; readonly mutant: string };

const globals = globalThis as unknown as { __stryker__?: Switches };
globals.__stryker__ ??= {};
const switches = globals.__stryker__;
/** A loop that a mutant made endless ends here: so many times more often than without it. */
const hitsAllowed = 100;
const hitsSpared = 10_000;

const shim = pathToFileURL(resolve(import.meta.dirname, "node-test.ts")).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "node:test" ? { url: shim, shortCircuit: true } : next(specifier, context),
});

interface Measured extends KeptTest {
  readonly id: string;
  readonly took: number;
}

const say = (message: Message): void => {
  process.send?.(message);
};

const startedWith = process.env.__STRYKER_ACTIVE_MUTANT__;
if (startedWith !== undefined) switches.quiet = true;
const { default: fc } = await import("fast-check");
fc.configureGlobal({ seed: 1, endOnFailure: true });
let turn = 0;
forgetByTurns();
let loadError: unknown = null;
try {
  for (const file of process.argv.slice(2).flatMap((glob) => globSync(glob))) {
    await import(pathToFileURL(resolve(file)).href);
  }
} catch (error) {
  loadError = error;
}
const { kept } = await import("./node-test.ts");

if (startedWith === undefined) await serve();
else {
  const by = loadError === null ? await firstFailing(kept) : { name: "loading the modules" };
  say({
    type: "answer",
    answer: { mutant: startedWith, noticed: by !== null, by: by?.name ?? null },
  });
  process.disconnect();
}

async function serve(): Promise<void> {
  if (loadError !== null) throw loadError;
  const onLoad = { ...switches.mutantCoverage?.static };
  const tests: Measured[] = [];
  for (const [index, test] of kept.entries()) {
    const id = String(index);
    switches.currentTestId = id;
    const began = process.hrtime.bigint();
    const error = await failure(test);
    if (error !== null) {
      say({ type: "failing", test: test.name, error: String(error) });
      process.disconnect();
      return;
    }
    tests.push({ ...test, id, took: Number(process.hrtime.bigint() - began) });
  }
  switches.currentTestId = undefined;
  tests.sort((a, b) => a.took - b.took);
  const perTest = switches.mutantCoverage?.perTest ?? {};
  const hits = new Map<string, number>();
  for (const counted of Object.values(perTest)) {
    for (const [mutant, times] of Object.entries(counted)) {
      hits.set(mutant, Math.max(hits.get(mutant) ?? 0, times));
    }
  }
  say({ type: "ready", onLoad: Object.keys(onLoad), reached: [...hits.keys()] });
  switches.quiet = true;
  process.on("message", (mutant: string) => {
    void tryOut(
      mutant,
      tests.filter(({ id }) => perTest[id]?.[mutant] !== undefined),
      (hits.get(mutant) ?? 0) * hitsAllowed + hitsSpared,
    );
  });
}

/**
 * Sources remember what they made of a rule or of a list of events, by identity. What was made without the mutant would
 * hide it, and what was made with it would spoil the next one: so whatever was remembered is forgotten at each turn.
 */
function forgetByTurns(): void {
  const Plain = WeakMap;
  globalThis.WeakMap = class<K extends WeakKey, V> extends Plain<K, V> {
    #turn = turn;
    #kept = new Plain<K, V>();

    #now(): WeakMap<K, V> {
      if (this.#turn !== turn) [this.#turn, this.#kept] = [turn, new Plain()];
      return this.#kept;
    }
    override get(key: K): V | undefined {
      return this.#now().get(key);
    }
    override has(key: K): boolean {
      return this.#now().has(key);
    }
    override set(key: K, value: V): this {
      this.#now().set(key, value);
      return this;
    }
    override delete(key: K): boolean {
      return this.#now().delete(key);
    }
  };
}

async function tryOut(mutant: string, tests: readonly Measured[], hitLimit: number): Promise<void> {
  turn += 1;
  switches.activeMutant = mutant;
  const failing = await firstFailing(tests, hitLimit);
  turn += 1;
  switches.activeMutant = undefined;
  switches.hitCount = undefined;
  // It may have left something behind, in a cache say, by which everything fails from now on.
  if (failing !== null && (await failure(failing)) !== null) say({ type: "spoilt", mutant });
  else say({ type: "answer", answer: { mutant, noticed: failing !== null, by: failing?.name ?? null } });
}

async function firstFailing<T extends KeptTest>(tests: readonly T[], hitLimit?: number): Promise<T | null> {
  for (const test of tests) {
    switches.hitCount = hitLimit === undefined ? undefined : 0;
    switches.hitLimit = hitLimit;
    if ((await failure(test)) !== null) return test;
  }
  return null;
}

async function failure(test: KeptTest): Promise<unknown> {
  try {
    await test.run();
    return null;
  } catch (error) {
    return error ?? "failed";
  }
}
