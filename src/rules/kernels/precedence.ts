/**
 * Which events surely come before which, pair by pair, as bits (docs/semantics.md 6).
 *
 * Clocks and causal edges each speak of one pair, so over three events they may contradict each other: x before
 * y before z before x. One of these is wrong and nobody knows which, so none of them counts, and what lies on
 * a circle may have come in any order.
 *
 * Cost: quadratic in the events for the pairs; circles cost as much again, and are only looked for where some
 * pair runs against the order of the input.
 */
import type { Event } from "../../model/event.ts";
import { before, type Kernel, point } from "./context.ts";

/** One row of bits an event: row i has bit j. */
export type Bits = readonly Uint32Array[];

export interface Precedence {
  /** Row i: what comes before event i. */
  readonly preds: Bits;
  /** Row i: what comes after event i. */
  readonly succs: Bits;
}

export const has = (rows: Bits, row: number, bit: number): boolean =>
  ((rows[row]?.[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;

export const rowText = (rows: Bits, row: number): string => rows[row]?.join(",") ?? "";

const set = (rows: Bits, row: number, bit: number): void => {
  const words = rows[row];
  if (words !== undefined) words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
};

const emptyRows = (size: number): Bits =>
  Array.from({ length: size }, () => new Uint32Array((size + 31) >>> 5));

/** `events`: best sorted by start, so that most pairs run forwards. */
export function precedence(kernel: Kernel, events: readonly Event[]): Precedence {
  const [preds, succs] = [emptyRows(events.length), emptyRows(events.length)];
  const precedes = (x: Event, y: Event): boolean =>
    before(kernel, point(x, "finished_at"), point(y, "started_at"), "required").truth === "true";
  const order = (first: number, second: number): void => {
    set(preds, second, first);
    set(succs, first, second);
  };
  let backwards = false;
  events.forEach((x, i) => {
    for (let j = i + 1; j < events.length; j += 1) {
      const y = events[j];
      if (y === undefined) continue;
      if (precedes(x, y)) order(i, j);
      else if (precedes(y, x)) {
        order(j, i);
        backwards = true;
      }
    }
  });
  return backwards ? withoutCircles({ preds, succs }) : { preds, succs };
}

function withoutCircles({ preds, succs }: Precedence): Precedence {
  const circle = circles(preds, succs);
  const members = new Map<number, Uint32Array>();
  circle.forEach((root, i) => {
    const words = members.get(root) ?? new Uint32Array((circle.length + 31) >>> 5);
    members.set(root, words);
    words[i >>> 5] = (words[i >>> 5] ?? 0) | (1 << (i & 31));
  });
  const outside = (words: Uint32Array, i: number): Uint32Array => {
    const own = members.get(circle[i] ?? -1);
    return words.map((word, k) => word & ~(own?.[k] ?? 0));
  };
  return { preds: preds.map(outside), succs: succs.map(outside) };
}

/** Strongly connected components by Kosaraju's two passes: for each event one that stands for its component. */
function circles(preds: Bits, succs: Bits): readonly number[] {
  const finished: number[] = [];
  const unseen = everyBit(succs.length);
  for (const root of succs.keys()) walk(root, succs, unseen, (i) => finished.push(i));
  const component: number[] = succs.map(() => -1);
  const unplaced = everyBit(succs.length);
  for (const root of finished.reverse()) {
    walk(root, preds, unplaced, (i) => {
      component[i] = root;
    });
  }
  return component;
}

function everyBit(size: number): Uint32Array {
  return new Uint32Array((size + 31) >>> 5).fill(0xffff_ffff);
}

/** Depth first over what is left, without recursion; `leave` is called once all that an event leads to is done. */
function walk(root: number, rows: Bits, left: Uint32Array, leave: (i: number) => void): void {
  const stack: number[] = [];
  const enter = (i: number): void => {
    left[i >>> 5] = (left[i >>> 5] ?? 0) & ~(1 << (i & 31));
    stack.push(i);
  };
  if (((left[root >>> 5] ?? 0) & (1 << (root & 31))) === 0) return;
  enter(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = firstCommon(rows[top], left);
    if (next !== null) enter(next);
    else {
      stack.pop();
      leave(top);
    }
  }
}

function firstCommon(row: Uint32Array | undefined, left: Uint32Array): number | null {
  for (let word = 0; word < left.length; word += 1) {
    const both = (row?.[word] ?? 0) & (left[word] ?? 0);
    if (both !== 0) return word * 32 + (31 - Math.clz32(both & -both));
  }
  return null;
}
