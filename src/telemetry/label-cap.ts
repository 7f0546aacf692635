/**
 * Bounds the values of labels whose names come from traffic. The first `limit` values of a label keep their
 * name, in all metrics alike; every later one is `other`, and counted, so that a flood of names costs a few
 * hundred series and not a scrape.
 */
export interface LabelCap {
  /** The value as a label: without control characters, not too long, within the cap. */
  fit(label: string, value: string): string;
}

/** What a value beyond the cap is called. */
export const overflow = "other";

/** Longer names are cut: a label is no place for an argument that slipped into a name. */
const maxLength = 128;

export function createLabelCap(limit: number, onFold: (label: string) => void): LabelCap {
  const known = new Map<string, Set<string>>();
  return {
    fit(label, value) {
      // The hot path: a name that is known as it stands.
      if (known.get(label)?.has(value) === true) return value;
      const clean = value.replace(/\p{Cc}/gu, " ");
      const short = clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
      let values = known.get(label);
      if (values === undefined) {
        values = new Set();
        known.set(label, values);
      }
      if (values.has(short) || short === overflow) return short;
      if (values.size < limit) {
        values.add(short);
        return short;
      }
      onFold(label);
      return overflow;
    },
  };
}
