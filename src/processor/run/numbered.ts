import type { Event } from "../../model/event.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { Value } from "../../model/value.ts";
import type { Run } from "./run-table.ts";

/**
 * What the numbers of a sender prove (docs/semantics.md 7, `sequence` and `children`): that every span of it which
 * ended before an event did is here. Knowledge and no policy, so it is refused wherever it could be less: numbers
 * that occur twice, spans of the sender without one, a second process of the same name, a second tree.
 *
 * Cost: linear in the run's facts, once for every state of the run and sender.
 */

/** What a rule's witnesses and blockers must be from: one service, or one source (a token's name). */
export interface Sender {
  readonly field: "service" | "source";
  readonly value: string;
}

/** The run's numbers as one sender gave them. */
interface Numbers {
  /** Every number from 1 to this is here, each once. 0: none. */
  readonly upTo: bigint;
  /** All of its spans are here and have ended. */
  readonly whole: boolean;
}

const known = new WeakMap<Run, { readonly version: number; readonly senders: Map<string, Numbers | null> }>();

export function numberedBy(
  runs: readonly Run[],
  sender: Sender,
  event: Event,
): "sequence" | "children" | null {
  const [run, ...others] = runs;
  // Of a run of several traces, another trace may still come.
  if (run === undefined || others.length > 0 || run.traceId !== event.run) return null;
  if (event.fields.get(sender.field) !== sender.value) return null;
  const anchor = event.spans[0];
  const fact = anchor === undefined ? undefined : run.facts.get(anchor.spanId)?.fact;
  if (fact === undefined || !fact.ended || fact.clock !== event.clock) return null;
  const numbers = numbersOf(run, sender, event.clock);
  if (numbers === null) return null;
  const own = wholeNumber(fact.fields.get("event_seq"));
  if (own !== null && own >= 1n && own <= numbers.upTo) return "sequence";
  return numbers.whole ? "children" : null;
}

function numbersOf(run: Run, sender: Sender, clock: string): Numbers | null {
  let memory = known.get(run);
  if (memory === undefined || memory.version !== run.version) {
    memory = { version: run.version, senders: new Map() };
    known.set(run, memory);
  }
  const key = `${sender.field} ${sender.value} ${clock}`;
  const remembered = memory.senders.get(key);
  if (remembered !== undefined) return remembered;
  const facts = [...run.facts.values()].map(({ fact }) => fact);
  const ofSender = facts.filter((fact) => fact.fields.get(sender.field) === sender.value);
  const numbers = ofSender.every((fact) => fact.clock === clock)
    ? { upTo: unbroken(ofSender), whole: isWhole(ofSender) }
    : null;
  memory.senders.set(key, numbers);
  return numbers;
}

/** How far the numbers go without a gap; 0 where they prove nothing. */
function unbroken(facts: readonly SpanFact[]): bigint {
  const numbers = new Set<bigint>();
  for (const { ended, fields } of facts) {
    if (!ended) continue;
    const number = wholeNumber(fields.get("event_seq"));
    if (number === null || numbers.has(number)) return 0n;
    numbers.add(number);
  }
  let upTo = 0n;
  while (numbers.has(upTo + 1n)) upTo += 1n;
  return upTo;
}

/** A call or model turn that does not count its children has none of its sender, as far as anybody can tell. */
const leaves = new Set(["tool_call", "retrieval", "model_turn"]);

/** One tree from a root of its own, every span of it ended, with as many children here as it says it had. */
function isWhole(facts: readonly SpanFact[]): boolean {
  const ids = new Set(facts.map(({ spanId }) => spanId));
  const children = new Map<string, bigint>();
  let roots = 0;
  for (const { parentId, ended } of facts) {
    if (!ended) return false;
    if (parentId === null) roots += 1;
    else if (!ids.has(parentId)) return false;
    else children.set(parentId, (children.get(parentId) ?? 0n) + 1n);
  }
  if (roots !== 1) return false;
  return facts.every(({ spanId, parentId, kind, fields }) => {
    const here = children.get(spanId) ?? 0n;
    const stated = wholeNumber(fields.get("child_count"));
    if (stated !== null) return stated === here;
    return here === 0n && parentId !== null && kind !== null && leaves.has(kind);
  });
}

function wholeNumber(value: Value | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  return typeof value === "string" && /^\d{1,18}$/.test(value) ? BigInt(value) : null;
}

/** Whether the senders of all these events say when their tool calls begin, and lost no word of it. */
export function startsAreTold(runs: readonly Run[], events: readonly Event[]): boolean {
  const byTrace = new Map(runs.map((run) => [run.traceId, run]));
  return (
    events.length > 0 && events.every(({ run, clock }) => byTrace.get(run)?.startSignals.get(clock) === "all")
  );
}
