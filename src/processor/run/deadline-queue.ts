import type { UnixNano } from "../../model/time.ts";

/**
 * When which run has to be looked at again. A binary heap; entries are never removed early, a run that no
 * longer needs its look is simply found to have nothing to do.
 *
 * Equal times pop in the order of their keys, so that a replay looks at runs in the same order.
 */
export interface DeadlineQueue {
  readonly heap: Deadline[];
  /** Earliest time queued for a key, so that the same look is not queued twice. */
  readonly queued: Map<string, UnixNano>;
}

interface Deadline {
  readonly at: UnixNano;
  readonly key: string;
}

export function createDeadlineQueue(): DeadlineQueue {
  return { heap: [], queued: new Map() };
}

/** Asks for a look at `at`; a look already queued at that time or earlier covers it. */
export function pushDeadline(queue: DeadlineQueue, key: string, at: UnixNano): void {
  const known = queue.queued.get(key);
  if (known !== undefined && known <= at) return;
  queue.queued.set(key, at);
  const { heap } = queue;
  heap.push({ at, key });
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!swapIfBefore(heap, child, parent)) return;
    child = parent;
  }
}

export function nextDeadline(queue: DeadlineQueue): UnixNano | null {
  return queue.heap[0]?.at ?? null;
}

/** Takes the earliest key whose look is due; null when none is. Looks that an earlier one covered are passed over. */
export function takeDue(queue: DeadlineQueue, now: UnixNano): string | null {
  for (let head = queue.heap[0]; head !== undefined && head.at <= now; head = queue.heap[0]) {
    pop(queue.heap);
    if (queue.queued.get(head.key) !== head.at) continue;
    queue.queued.delete(head.key);
    return head.key;
  }
  return null;
}

function pop(heap: Deadline[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  let parent = 0;
  while (true) {
    const left = 2 * parent + 1;
    const right = left + 1;
    const child = right < heap.length && before(heap[right], heap[left]) ? right : left;
    if (child >= heap.length || !swapIfBefore(heap, child, parent)) return;
    parent = child;
  }
}

function swapIfBefore(heap: Deadline[], child: number, parent: number): boolean {
  const [c, p] = [heap[child], heap[parent]];
  if (c === undefined || p === undefined || !before(c, p)) return false;
  heap[child] = p;
  heap[parent] = c;
  return true;
}

function before(a: Deadline | undefined, b: Deadline | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.at < b.at || (a.at === b.at && a.key < b.key);
}
