/** Reads Prometheus' text format as far as tests need it: which series there are and what they show. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Exposition {
  readonly samples: readonly Sample[];

  constructor(text: string) {
    this.samples = text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map(readSample);
  }

  /** The series of this name that have all these labels. */
  series(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    return this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
  }

  /** Their sum; 0 where there are none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.series(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}

function readSample(line: string): Sample {
  const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [, name = "", labels = "", value = ""] = match;
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [
    key,
    text.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)),
  ]);
  return { name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Infinity : Number(value) };
}
