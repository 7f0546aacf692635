/**
 * The numbers behind a metric. The hot path touches a plain object; prom-client gets the numbers when a scrape
 * asks for them, since updating its metrics for every span took a fifth of the CPU where it was tried.
 */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { LabelsOf, MetricDeclaration } from "./declaration.ts";
import type { LabelCap } from "./label-cap.ts";

/** Between label values in a key; `fit` and the loaders let no control characters through. */
const separator = "\u0000";

interface Cell {
  readonly labels: Record<string, string>;
  value: number;
  /** Counters: what prom-client has been given already. */
  handedOver: number;
}

/** The label sets of one metric, each with a number. Keys are the values joined; order follows the declaration. */
class Cells {
  readonly all = new Map<string, Cell>();
  private readonly declaration: MetricDeclaration;
  private readonly cap: LabelCap;

  constructor(declaration: MetricDeclaration, cap: LabelCap) {
    this.declaration = declaration;
    this.cap = cap;
  }

  find(labels: Readonly<Record<string, string>>): Cell | undefined {
    return this.all.get(this.keyOf(labels));
  }

  at(labels: Readonly<Record<string, string>>): Cell {
    const key = this.keyOf(labels);
    const found = this.all.get(key);
    if (found !== undefined) return found;
    const own: Record<string, string> = {};
    const values = key.split(separator);
    for (const [index, name] of this.declaration.labels.entries()) own[name] = values[index] ?? "";
    const made: Cell = { labels: own, value: 0, handedOver: 0 };
    this.all.set(key, made);
    return made;
  }

  private keyOf(labels: Readonly<Record<string, string>>): string {
    let key = "";
    for (const name of this.declaration.labels) {
      const value = labels[name] ?? "";
      key += this.declaration.capped?.includes(name) === true ? this.cap.fit(name, value) : value;
      key += separator;
    }
    return key;
  }
}

export class CounterSeries<D extends MetricDeclaration> {
  private readonly cells: Cells;

  constructor(declaration: D, registry: Registry, cap: LabelCap) {
    this.cells = new Cells(declaration, cap);
    const { all } = this.cells;
    new Counter({
      ...described(declaration),
      registers: [registry],
      collect() {
        for (const cell of all.values()) {
          this.inc(cell.labels, cell.value - cell.handedOver);
          cell.handedOver = cell.value;
        }
      },
    });
  }

  add(labels: LabelsOf<D>, by = 1): void {
    this.cells.at(labels).value += by;
  }

  /** Makes the series exist, at 0. */
  touch(labels: LabelsOf<D>): void {
    this.cells.at(labels);
  }

  /** Raises the counter to what is known elsewhere; never lowers it. */
  raiseTo(labels: LabelsOf<D>, total: number): void {
    const cell = this.cells.at(labels);
    cell.value = Math.max(cell.value, total);
  }

  /** The number so far; 0 for a series that does not exist. */
  peek(labels: LabelsOf<D>): number {
    return this.cells.find(labels)?.value ?? 0;
  }
}

export class GaugeSeries<D extends MetricDeclaration> {
  private readonly cells: Cells;

  /** `refresh` runs before each scrape, for numbers that live elsewhere. */
  constructor(declaration: D, registry: Registry, cap: LabelCap, refresh?: (gauge: GaugeSeries<D>) => void) {
    this.cells = new Cells(declaration, cap);
    const { all } = this.cells;
    const bringUpToDate = () => refresh?.(this);
    new Gauge({
      ...described(declaration),
      registers: [registry],
      collect() {
        bringUpToDate();
        this.reset();
        for (const cell of all.values()) this.set(cell.labels, cell.value);
      },
    });
  }

  set(labels: LabelsOf<D>, value: number): void {
    this.cells.at(labels).value = value;
  }

  /** Forgets every series, as when another set of contracts comes. */
  clear(): void {
    this.cells.all.clear();
  }
}

interface Buckets {
  readonly labels: Record<string, string>;
  /** One more than the bounds: the last is what lies above them all. */
  readonly counts: Float64Array;
  sum: number;
}

export class HistogramSeries<D extends MetricDeclaration> {
  private readonly buckets = new Map<Cell, Buckets>();
  private readonly cells: Cells;
  private readonly bounds: readonly number[];

  constructor(declaration: D, registry: Registry, cap: LabelCap) {
    this.cells = new Cells(declaration, cap);
    this.bounds = declaration.buckets ?? [];
    const answer = async () => ({
      name: declaration.name,
      help: declaration.help,
      type: "histogram",
      values: [...this.buckets.values()].flatMap((one) => samplesOf(declaration, this.bounds, one)),
      aggregator: "sum",
    });
    const metric = new Histogram({
      ...described(declaration),
      buckets: [...this.bounds],
      registers: [registry],
    });
    // prom-client can only be told one observation at a time; so scrapes are answered from our own buckets.
    Object.assign(metric, { get: answer, getForPromString: answer });
    if (declaration.labels.length === 0) this.bucketsAt({} as LabelsOf<D>);
  }

  observe(labels: LabelsOf<D>, value: number): void {
    // A duration below 0 is a clock's error, not a length; 0 keeps the count right and the sum sane.
    const length = Math.max(value, 0);
    const found = this.bucketsAt(labels);
    let index = 0;
    while (index < this.bounds.length && length > (this.bounds[index] ?? 0)) index += 1;
    found.counts[index] = (found.counts[index] ?? 0) + 1;
    found.sum += length;
  }

  /** Makes the series exist, with nothing observed. */
  touch(labels: LabelsOf<D>): void {
    this.bucketsAt(labels);
  }

  private bucketsAt(labels: LabelsOf<D>): Buckets {
    const cell = this.cells.at(labels);
    let found = this.buckets.get(cell);
    if (found === undefined) {
      found = { labels: cell.labels, counts: new Float64Array(this.bounds.length + 1), sum: 0 };
      this.buckets.set(cell, found);
    }
    return found;
  }
}

function samplesOf(declaration: MetricDeclaration, bounds: readonly number[], one: Buckets) {
  const samples: { metricName: string; labels: Record<string, string | number>; value: number }[] = [];
  let total = 0;
  for (const [index, amount] of one.counts.entries()) {
    total += amount;
    const le = bounds[index] ?? "+Inf";
    samples.push({ metricName: `${declaration.name}_bucket`, labels: { ...one.labels, le }, value: total });
  }
  samples.push({ metricName: `${declaration.name}_sum`, labels: one.labels, value: one.sum });
  samples.push({ metricName: `${declaration.name}_count`, labels: one.labels, value: total });
  return samples;
}

function described(declaration: MetricDeclaration) {
  return { name: declaration.name, help: declaration.help, labelNames: [...declaration.labels] };
}
