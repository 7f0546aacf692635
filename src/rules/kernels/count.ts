/**
 * Kernel 2, count: how many events, or distinct values, a key has (docs/semantics.md 5).
 *
 * The number is kept as an interval: what is certainly there, and what may be. A value that an event lacks is no
 * value, but the event may have had one, so it only widens the interval.
 */
import type { Event } from "../../model/event.ts";
import { canonicalText } from "../../model/value.ts";
import type { Code, InstanceVerdict } from "../../model/verdict.ts";
import { compileMatcher, type Matcher } from "../match.ts";
import type { Count } from "../program.ts";
import { readPredicate } from "../read.ts";
import { keyText } from "../values.ts";
import { gapCode, instance, type Kernel, point } from "./context.ts";
import { readKey } from "./keys.ts";
import { byStart } from "./scope-index.ts";

export interface CompiledCount {
  readonly count: Count;
  readonly of: Matcher;
}

export function compileCount(count: Count): CompiledCount {
  return { count, of: compileMatcher(count.of) };
}

/** One event that counts, or may. */
interface Counted {
  readonly event: Event;
  readonly certain: boolean;
  /** Why it may not count, or may have a value of its own. */
  readonly code: Code | null;
  /** Text of its distinct value; null where it has none, or none is asked for. */
  readonly value: string | null;
}

export function judgeCount(compiled: CompiledCount, kernel: Kernel): InstanceVerdict[] {
  const { groups, anywhere } = group(compiled, kernel);
  const found = [...groups].map(([key, list]) =>
    judgeGroup(compiled, kernel, key, anywhere.length === 0 ? list : [...list, ...anywhere].sort(byEvent)),
  );
  const own = anywhere.length === 0 ? null : judgeUnkeyed(compiled, kernel, anywhere);
  // Beside keys that are known, one that is not matters only where it may break the rule by itself.
  return own === null || (own.verdict === "satisfied" && found.length > 0) ? found : [...found, own];
}

interface Groups {
  readonly groups: ReadonlyMap<string, readonly Counted[]>;
  /** What may belong to any key that is there, or to one of its own. */
  readonly anywhere: readonly Counted[];
}

function group({ count, of }: CompiledCount, kernel: Kernel): Groups {
  const groups = new Map<string, Counted[]>();
  const anywhere: Counted[] = [];
  if (count.bind.length === 0) groups.set("", []);
  for (const event of kernel.index.candidates(count.of)) {
    const match = of(event, kernel.match);
    if (match.truth === "false") continue;
    const key = readKey(event, count.bind, kernel.match.settled);
    const member = kernel.member(event);
    if (key.is === "absent" || member.truth === "false") continue;
    const certain = match.truth === "true" && key.is === "known" && member.truth === "true";
    const code = match.code ?? (key.is === "unknown" ? key.code : member.code);
    const counted: Counted = { event, ...withValue(count, kernel, event, certain, code) };
    if (key.is === "unknown") {
      anywhere.push(counted);
      continue;
    }
    const list = groups.get(key.text);
    if (list === undefined) groups.set(key.text, [counted]);
    else list.push(counted);
  }
  return { groups, anywhere };
}

/**
 * The keys that nobody knows: all of these events may have one in common, each its own, or none at all. So what
 * one of them alone would fall short of, or all together exceed, is not known to be broken, nor to be met.
 */
function judgeUnkeyed(
  { count, of }: CompiledCount,
  kernel: Kernel,
  anywhere: readonly Counted[],
): InstanceVerdict {
  const { min, max, window } = count;
  const { closed } = kernel.view.completeness;
  const amount = window === null ? measure(anywhere, anywhere) : busiestWindow(count, kernel, anywhere);
  const alone = ({ event, value }: Counted): number =>
    of(event, kernel.match).truth === "true" &&
    kernel.member(event).truth === "true" &&
    (count.distinct.length === 0 || value !== null)
      ? 1
      : 0;
  const short = min !== null && anywhere.some((item) => alone(item) < min);
  const above = max !== null && amount.most > max;
  const base = { key: "", value: amount.least, completeness: closed };
  if (!short && !above) {
    return instance({
      ...base,
      verdict: "satisfied",
      final: closed !== null,
      reason: `as many ${whatOf(count)} as allowed, whatever their key`,
    });
  }
  return instance({
    ...base,
    verdict: short && !above && closed === null ? "pending" : "inconclusive",
    final: closed !== null,
    code: amount.code ?? "data_incomplete",
    reason: `how many ${whatOf(count)} of one key there are cannot be told`,
  });
}

const whatOf = ({ distinct, of }: Count): string =>
  distinct.length === 0
    ? of.text
    : `different ${distinct.map((path) => path.join(".")).join(", ")} of ${of.text}`;

const byEvent = (a: Counted, b: Counted): number => byStart(a.event, b.event);

function withValue(
  count: Count,
  kernel: Kernel,
  event: Event,
  certain: boolean,
  code: Code | null,
): Omit<Counted, "event"> {
  if (count.distinct.length === 0) return { certain, code, value: null };
  const texts: string[] = [];
  for (const path of count.distinct) {
    const reading = readPredicate(event, path, kernel.match.settled);
    if (reading.is === "unknown") return { certain: false, code: code ?? reading.code, value: null };
    const present = reading.is === "value" && keyText(reading.value) !== null;
    if (!present) return { certain: false, code: code ?? "missing_attribute", value: null };
    texts.push(canonicalText(reading.value));
  }
  return { certain, code, value: JSON.stringify(texts) };
}

interface Amount {
  readonly least: number;
  readonly most: number;
  /** The counted events in order, each distinct value once. */
  readonly events: readonly Event[];
  /** Why least and most differ. */
  readonly code: Code | null;
}

function judgeGroup(
  { count }: CompiledCount,
  kernel: Kernel,
  key: string,
  counted: readonly Counted[],
): InstanceVerdict {
  const amount = count.window === null ? measure(counted, counted) : busiestWindow(count, kernel, counted);
  const { closed } = kernel.view.completeness;
  const { min, max } = count;
  const base = { key, value: amount.least, completeness: closed };
  const what = whatOf(count);

  if (max !== null && amount.least > max) {
    return instance({
      ...base,
      verdict: "violated",
      final: true,
      code: count.code ?? "count_exceeded",
      witness: amount.events[max]?.id ?? null,
      involved: amount.events.slice(max).map((event) => event.id),
      completeness: null,
      reason: `more ${what} than the ${max} allowed`,
    });
  }
  const maxUnsure = max !== null && amount.most > max;
  const minMet = min === null || amount.least >= min;
  const minUnsure = !minMet && amount.most >= min;
  if (!minMet && !minUnsure && closed === null) {
    return instance({
      ...base,
      verdict: "pending",
      final: false,
      reason: `fewer ${what} than the ${min} asked for, so far`,
    });
  }
  if (!minMet && !minUnsure) {
    const lost = gapCode(kernel);
    return instance({
      ...base,
      verdict: lost === null ? "violated" : "inconclusive",
      final: true,
      code: lost ?? count.code ?? "count_below",
      reason: `fewer ${what} than the ${min} asked for`,
    });
  }
  if (maxUnsure || minUnsure) {
    const waits = minUnsure && !maxUnsure && closed === null;
    return instance({
      ...base,
      verdict: waits ? "pending" : "inconclusive",
      final: closed !== null,
      code: amount.code ?? "data_incomplete",
      reason: `how many ${what} there are cannot be told`,
    });
  }
  return instance({
    ...base,
    verdict: "satisfied",
    final: closed !== null || max === null,
    involved: count.measures === "wait" ? amount.events.map(({ id }) => id) : [],
    reason: `as many ${what} as allowed`,
  });
}

/** `sure` holds what certainly belongs together, `possible` what may: the same list, but for windows. */
function measure(sure: readonly Counted[], possible: readonly Counted[]): Amount {
  const values = new Set<string>();
  const events: Event[] = [];
  for (const { event, certain, value } of sure) {
    if (!certain || (value !== null && values.has(value))) continue;
    if (value !== null) values.add(value);
    events.push(event);
  }
  const inSure = new Set(sure);
  const others = new Set<string>();
  let most = events.length;
  let code: Code | null = null;
  for (const item of possible) {
    if (item.certain && inSure.has(item)) continue;
    if (item.value !== null && (values.has(item.value) || others.has(item.value))) continue;
    if (item.value !== null) others.add(item.value);
    most += 1;
    code ??= item.code ?? "order_unknown";
  }
  return { least: events.length, most, events, code };
}

/** The window, anchored at the start of one event, that holds the most. Its end is inclusive. */
function busiestWindow(count: Count, kernel: Kernel, counted: readonly Counted[]): Amount {
  const window = count.window ?? 0n;
  const { order } = kernel.view;
  const started = counted.map(({ event }) => point(event, "started_at"));
  // Sorted by start on one clock that nothing refutes, whatever follows the first event outside a window is outside it too.
  const oneClock =
    order.refuted !== true &&
    counted.every(({ event }) => event.clock === counted[0]?.event.clock && typeof event.start === "object");
  let least: Amount = { least: 0, most: 0, events: [], code: null };
  let most = 0;
  let code: Code | null = null;
  for (const i of counted.keys()) {
    const sure: Counted[] = [];
    const possible: Counted[] = [];
    for (let j = i; j < counted.length; j += 1) {
      const [item, from, to] = [counted[j], started[i], started[j]];
      if (item === undefined || from === undefined || to === undefined) continue;
      const apart = i === j ? { least: 0n, most: 0n } : order.distance(from, to);
      if (apart !== null && apart.least > window) {
        if (oneClock) break;
        continue;
      }
      possible.push(item);
      if (fitsAll(sure, item, window, kernel)) sure.push(item);
    }
    const amount = measure(sure, possible);
    if (amount.least > least.least) least = amount;
    if (amount.most > most) {
      most = amount.most;
      code = amount.code;
    }
  }
  return { ...least, most: Math.max(most, least.least), code };
}

/** Certainly inside one window with all that were taken before: each distance, with skew and width, is within it. */
function fitsAll(taken: readonly Counted[], item: Counted, window: bigint, kernel: Kernel): boolean {
  const to = point(item.event, "started_at");
  return taken.every(({ event }) => {
    const apart = kernel.view.order.distance(point(event, "started_at"), to);
    return apart !== null && apart.most <= window && -apart.least <= window;
  });
}
