/** Middle and range of a few measurements: what one run can honestly say about a ratio. */
export interface Spread {
  readonly middle: number;
  readonly least: number;
  readonly most: number;
}

/** Median, least and greatest. Throws on an empty list, since a benchmark without a measurement has failed. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) throw new Error("nothing was measured");
  const half = sorted.length / 2;
  const low = sorted[Math.ceil(half) - 1] ?? least;
  const high = sorted[Math.floor(half)] ?? most;
  return { middle: (low + high) / 2, least, most };
}

/** `3.41× (3.30–3.62)`. */
export function asRatio({ middle, least, most }: Spread): string {
  return `${middle.toFixed(2)}× (${least.toFixed(2)}–${most.toFixed(2)})`;
}

/** `61,400 (60,900–62,000)`, rounded to what a few seconds of measuring can tell. */
export function asCount({ middle, least, most }: Spread): string {
  const round = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");
  return `${round(middle)} (${round(least)}–${round(most)})`;
}
