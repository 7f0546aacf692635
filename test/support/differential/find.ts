/**
 * `find.ts SEED TRIALS` — prints after how many trials the product and the slow evaluator differ, or that they
 * never do. The test of planted faults runs it in a copy of the sources in which one thing is wrong.
 */
import { runTrials } from "./trials.ts";

const [seed = 1, trials = 10_000] = process.argv.slice(2).map(Number);
try {
  const { trials: tried, failure } = runTrials(seed, trials);
  process.stdout.write(failure === null ? `agreed ${tried}\n` : `differed ${tried} ${failure.lines[0]}\n`);
} catch (error) {
  process.stdout.write(`threw ${String(error)}\n`);
}
