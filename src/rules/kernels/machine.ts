/**
 * Kernel 3, machine: the steps of a key must be a path of the machine, in some order they can have had
 * (docs/semantics.md 6).
 *
 * Cost: quadratic in the steps of one key for their order, then one transition a step where they are ordered.
 */
import type { Event } from "../../model/event.ts";
import type { Code, InstanceVerdict } from "../../model/verdict.ts";
import { nearer } from "../truth.ts";
import { completeAt, gapCode, instance, type Kernel, point } from "./context.ts";
import { readKey } from "./keys.ts";
import { apply, type Ending, explore, lasted, type Violation } from "./machine-explore.ts";
import { type CompiledMachine, classify, type Step, type StepClass, stepOf } from "./machine-steps.ts";
import { byStart } from "./scope-index.ts";

export function judgeMachine(compiled: CompiledMachine, kernel: Kernel): InstanceVerdict[] {
  const byKey = new Map<string, Step[]>();
  const anywhere: Step[] = [];
  const { machine } = compiled;
  if (machine.judgedWithoutStep && machine.bind.length === 0) byKey.set("", []);
  for (const event of kernel.index.events) {
    const key = readKey(event, machine.bind, kernel.match.settled);
    if (key.is === "absent") continue;
    const member = kernel.member(event);
    if (member.truth === "false") continue;
    const step = stepOf(compiled, kernel, event, key.is === "unknown" ? key.code : member.code);
    if (step === null) continue;
    if (key.is === "unknown") anywhere.push(step);
    else byKey.set(key.text, [...(byKey.get(key.text) ?? []), step]);
  }
  const own = byKey.size > 0 && anywhere.length > 0 ? judgeUnkeyed(compiled, kernel, anywhere) : null;
  if (byKey.size === 0 && anywhere.length > 0) byKey.set("", []);
  const found = [...byKey].map(([key, steps]) => {
    const all = anywhere.length === 0 ? steps : [...steps, ...anywhere];
    const judged = judgeInstance(
      compiled,
      kernel,
      key,
      all.sort((x, y) => byStart(x.event, y.event)),
    );
    return machine.judgedWithoutStep || all.some((step) => isCertain(compiled, step))
      ? judged
      : unlessVacuous(kernel, judged, all);
  });
  return own === null ? found : [...found, own];
}

/**
 * The keys that nobody knows: some of these steps may have one of their own. Beside keys that are known that matters only
 * where such an instance may be broken, and then it is not known to be: each may belong to another key, or to none.
 */
function judgeUnkeyed(
  compiled: CompiledMachine,
  kernel: Kernel,
  anywhere: readonly Step[],
): InstanceVerdict | null {
  const { closed } = kernel.view.completeness;
  const { endings, unsure } = explore(compiled, kernel, classify(compiled, kernel, anywhere));
  const results = new Set(
    endings
      .filter(({ position }) => position.began)
      .map((ending) => resultOf(compiled, kernel, ending).result),
  );
  const broken = endings.length === 0 || results.has("violated");
  if (!broken && !results.has("unfinished")) return null;
  return instance({
    key: "",
    verdict: broken ? "inconclusive" : "pending",
    final: closed !== null,
    code: broken ? (unsure ?? "order_unknown") : null,
    completeness: closed,
    involved: anywhere.map(({ event }) => event.id),
    reason: "whose steps these are is not known, and of a key of their own they might not be allowed",
  });
}

const isCertain = ({ machine }: CompiledMachine, { optional, matches }: Step): boolean =>
  optional === null && (machine.unlisted === "violate" || matches.some(({ truth }) => truth === "true"));

/** Without a step there is no instance: what only possible steps did is not known to have been done. */
function unlessVacuous(kernel: Kernel, found: InstanceVerdict, steps: readonly Step[]): InstanceVerdict {
  if (found.verdict === "pending") return found;
  const codes = steps.flatMap(({ optional, matches }) => [optional, ...matches.map(({ code }) => code)]);
  const code = codes.reduce((best, one) => nearer(best, one), null) ?? "order_unknown";
  return { ...found, verdict: "inconclusive", code, final: found.final && !kernel.open };
}

function judgeInstance(
  compiled: CompiledMachine,
  kernel: Kernel,
  key: string,
  steps: readonly Step[],
): InstanceVerdict {
  const { closed } = kernel.view.completeness;
  const classes = classify(compiled, kernel, steps);
  const explored = explore(compiled, kernel, classes);
  const undecided = (code: Code, reason: string): InstanceVerdict =>
    instance({
      key,
      verdict: "inconclusive",
      final: closed !== null,
      code,
      completeness: closed,
      reason,
      involved: steps.map(({ event }) => event.id),
    });
  const results = explored.endings.map((ending) => ({ ending, ...resultOf(compiled, kernel, ending) }));
  const [first] = results;
  if (first === undefined) return undecided("order_unknown", "too many orders are possible to follow");
  const kinds = new Set(results.map(({ result }) => result));
  if (kinds.has("violated") && kinds.size === 1) {
    const best = results.reduce((x, y) => (nearer(codeOf(x), codeOf(y)) === codeOf(x) ? x : y));
    return broken(compiled, kernel, key, classes, best, results);
  }
  const { ending } = first;
  const shown = {
    key,
    completeness: closed,
    involved: ending.path.map((event) => event.id),
    machine: { state: ending.position.state, allowed: allowedIn(compiled, ending.position.state) },
  };
  if (kinds.size === 1 && first.result === "accepted") {
    const reason = "every step was allowed in its state";
    return instance({ ...shown, verdict: "satisfied", final: closed !== null, reason });
  }
  if (!kinds.has("violated")) {
    const reason = `state ${ending.position.state} is not a last one`;
    return instance({ ...shown, verdict: "pending", final: false, reason });
  }
  return undecided(explored.unsure ?? "order_unknown", "the possible orders of the steps end differently");
}

type Result = {
  readonly result: "violated" | "accepted" | "unfinished";
  readonly violation: Violation | null;
  /** Whether nothing still to come changes it. */
  readonly settled: boolean;
};

const codeOf = ({ violation }: Result): Code | null => violation?.code ?? "not_final";

function resultOf({ machine }: CompiledMachine, kernel: Kernel, { position, violation }: Ending): Result {
  if (violation !== null) {
    const settled = completeAt(kernel, point(violation.event, "finished_at")) !== null;
    return { result: "violated", violation, settled };
  }
  const overdue = overdueIn(machine, kernel, position.state, position.entered);
  if (overdue !== null) return overdue;
  if (machine.final === null || machine.final.has(position.state)) {
    return { result: "accepted", violation: null, settled: !kernel.open };
  }
  return { result: kernel.open ? "unfinished" : "violated", violation: null, settled: !kernel.open };
}

/** A state with a time limit that was never left, although the limit has surely passed. */
function overdueIn(
  machine: CompiledMachine["machine"],
  kernel: Kernel,
  state: string,
  entered: Event | null,
): Result | null {
  const limit = machine.maxTime.get(state);
  if (limit === undefined || entered === null || machine.final?.has(state) === true) return null;
  const missed = (settled: boolean): Result => ({
    result: "violated",
    violation: { code: "deadline_missed", event: entered, state, detail: null },
    settled,
  });
  const seen = kernel.index.events.findLast(
    (event) => lasted(kernel, entered, event, limit).truth === "false",
  );
  if (seen !== undefined) return missed(completeAt(kernel, point(seen, "started_at")) !== null);
  // Where any state may be the last one, only an event that came later shows that time went on.
  if (machine.final === null || !kernel.open) return null;
  const at = point(entered, "finished_at");
  const stamp = kernel.view.order.stamp(at);
  if (stamp === null || completeAt(kernel, at) === null) return null;
  return kernel.view.completeness.passed((stamp.latest + limit) as typeof stamp.latest) ? missed(true) : null;
}

function broken(
  compiled: CompiledMachine,
  kernel: Kernel,
  key: string,
  classes: readonly StepClass[],
  best: Result & { readonly ending: Ending },
  results: readonly Result[],
): InstanceVerdict {
  const { machine } = compiled;
  const { violation, ending } = best;
  const { closed } = kernel.view.completeness;
  const state = violation?.state ?? ending.position.state;
  const lost = gapCode(kernel);
  const later = results.length === 1 ? laterIllegal(compiled, kernel, classes, best) : [];
  return instance({
    key,
    verdict: lost === null ? "violated" : "inconclusive",
    // What is still unknown of a step only narrows what it may have done: broken in every order stays broken.
    final: results.every(({ settled }) => settled),
    code: lost ?? machine.code ?? codeOf(best),
    witness: violation?.event.id ?? null,
    completeness: violation === null ? closed : completeAt(kernel, point(violation.event, "finished_at")),
    involved: [...ending.path, ...later].map((event) => event.id),
    machine: { state, allowed: allowedIn(compiled, state) },
    reason: explain(compiled, state, violation),
  });
}

/** What else was illegal after the first such step, the state staying as it was; only where the order is certain. */
function laterIllegal(
  compiled: CompiledMachine,
  kernel: Kernel,
  classes: readonly StepClass[],
  { ending, violation }: Result & { readonly ending: Ending },
): readonly Event[] {
  if (violation === null) return [];
  const done = new Set(ending.path);
  const rest = classes
    .flatMap(({ steps }) => steps)
    .filter(({ event }) => !done.has(event))
    .sort((x, y) => byStart(x.event, y.event));
  const found: Event[] = [];
  let position = ending.position;
  for (const step of rest) {
    const { list } = apply(compiled, kernel, step, position);
    const [only] = list;
    if (only === undefined || list.length > 1) break;
    if (only.violation === null) position = only.position;
    else found.push(step.event);
  }
  return found;
}

function allowedIn(compiled: CompiledMachine, state: string): string[] {
  const texts = (compiled.byState.get(state) ?? []).map(
    (index) => compiled.transitions[index]?.transition.on.text ?? "",
  );
  return [...new Set(texts)];
}

function explain(compiled: CompiledMachine, state: string, violation: Violation | null): string {
  const allowed = allowedIn(compiled, state).join(", ");
  if (violation === null) return `ended in state ${state}, which is not a last one`;
  const step = violation.event.name ?? violation.event.kind;
  switch (violation.code) {
    case "deadline_missed":
      return `state ${state} lasted longer than it may`;
    case "retry_too_soon":
      return `${step} came sooner after the one before than it may`;
    case "missing_attribute":
      return `${step} in state ${state} lacks ${violation.detail ?? "a value"}`;
    case "wrong_owner":
      return `${step} in state ${state} came from another owner`;
    default: {
      const guard = violation.detail === null ? "" : ` since ${violation.detail} does not hold`;
      return `${step} is not allowed in state ${state}${guard}; allowed: ${allowed === "" ? "nothing" : allowed}`;
    }
  }
}
