/** What a run of mutants came to, as lines and as the page that is kept. */
import type { Area } from "./areas.ts";
import type { Mutant } from "./instrument.ts";
import type { Outcome } from "./pool.ts";

/** Percent of the mutants that a test noticed; 100 when there was none. */
export function scoreOf(outcomes: readonly Outcome[]): number {
  const noticed = outcomes.filter(({ noticedBy }) => noticedBy !== null).length;
  return outcomes.length === 0 ? 100 : (100 * noticed) / outcomes.length;
}

export function scoreLine(name: string, outcomes: readonly Outcome[]): string {
  const noticed = outcomes.filter(({ noticedBy }) => noticedBy !== null).length;
  return `${name}: ${noticed} of ${outcomes.length} noticed (${scoreOf(outcomes).toFixed(1)} %)`;
}

export interface Run {
  readonly chosen: readonly Area[];
  /** With those that the type checker refused. */
  readonly drawn: readonly Mutant[];
  readonly tried: readonly Mutant[];
  readonly outcomes: readonly Outcome[];
}

/** JSON: totals an area and file, and every survivor with its place. */
export function report({ chosen, drawn, tried, outcomes }: Run): string {
  const files = [...new Set(drawn.map(({ file }) => file))].sort();
  const totals = (name: string, has: (mutant: Mutant) => boolean): object => {
    const mine = outcomes.filter(({ mutant }) => has(mutant));
    return {
      name,
      mutants: drawn.filter(has).length,
      refused_by_types: drawn.filter(has).length - tried.filter(has).length,
      noticed: mine.filter(({ noticedBy }) => noticedBy !== null).length,
      survived: mine.filter(({ noticedBy }) => noticedBy === null).length,
      score: Number(scoreOf(mine).toFixed(1)),
    };
  };
  const survivors = outcomes
    .filter(({ noticedBy }) => noticedBy === null)
    .map(({ mutant, reached }) => ({
      place: mutant.place,
      kind: mutant.kind,
      was: mutant.was,
      became: mutant.became,
      ...(reached ? {} : { reached: false }),
    }))
    .sort((a, b) => a.place.localeCompare(b.place, "en", { numeric: true }));
  const whole = {
    all: totals("all", () => true),
    areas: chosen.map((area) => totals(area.name, (mutant) => mutant.area === area)),
    files: files.map((file) => totals(file, (mutant) => mutant.file === file)),
    survivors,
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
