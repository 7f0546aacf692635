/**
 * fast-check as every test here uses it: each property meets the same values in every run, so that a run that
 * failed elsewhere fails here too. `PROPERTY_SEED` draws others (a failure prints its seed), `PROPERTY_RUNS` sets
 * how many; `npm run explore` does both, over and over.
 */
import fc from "fast-check";

const usualSeed = 1;
const wanted = process.env.PROPERTY_RUNS;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env.PROPERTY_SEED ?? usualSeed),
  ...(wanted === undefined ? {} : { numRuns: Number(wanted) }),
});

/** How many values a property meets that needs another number than fast-check's hundred. */
export const propertyRuns = (usual: number): number => Number(wanted ?? usual);

/** How long the traces are that a test tries all of; `TRACES_SHORTER_BY` spares those who repeat it often. */
export const traceLength = (usual: number): number => usual - Number(process.env.TRACES_SHORTER_BY ?? 0);

export default fc;
