/**
 * The Declare templates against their textbook definitions, on every trace up to length 6 over three symbols.
 * A template that is vacuously true counts as true.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { judge } from "../../../src/rules/judge.ts";
import { loadContracts } from "../../../src/rules/load.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { traceLength } from "../../support/properties.ts";
import { closedBy, event, plainClock } from "../../support/scope.ts";

type Trace = readonly string[];

const times = (trace: Trace, symbol: string): number => trace.filter((one) => one === symbol).length;
const has = (trace: Trace, symbol: string): boolean => trace.includes(symbol);
const every = (trace: Trace, symbol: string, holds: (i: number) => boolean): boolean =>
  trace.every((one, i) => one !== symbol || holds(i));
const next = (trace: Trace, i: number, symbols: string): number =>
  trace.findIndex((one, j) => j > i && symbols.includes(one));
const previous = (trace: Trace, i: number, symbols: string): number =>
  trace.findLastIndex((one, j) => j < i && symbols.includes(one));

const response = (t: Trace): boolean => every(t, "A", (i) => next(t, i, "B") !== -1);
const precedence = (t: Trace): boolean => every(t, "B", (i) => previous(t, i, "A") !== -1);
const alternateResponse = (t: Trace): boolean => every(t, "A", (i) => t[next(t, i, "AB")] === "B");
const alternatePrecedence = (t: Trace): boolean => every(t, "B", (i) => t[previous(t, i, "AB")] === "A");
const chainResponse = (t: Trace): boolean => every(t, "A", (i) => t[i + 1] === "B");
const chainPrecedence = (t: Trace): boolean => every(t, "B", (i) => t[i - 1] === "A");

const templates: readonly { readonly yaml: string; readonly holds: (trace: Trace) => boolean }[] = [
  { yaml: "kind: existence, of: A, n: 2", holds: (t) => times(t, "A") >= 2 },
  { yaml: "kind: absence, of: A, n: 2", holds: (t) => times(t, "A") < 2 },
  { yaml: "kind: exactly, of: A, n: 2", holds: (t) => times(t, "A") === 2 },
  { yaml: "kind: init, of: A", holds: (t) => t[0] === "A" },
  { yaml: "kind: end, of: A", holds: (t) => t.at(-1) === "A" },
  { yaml: "kind: choice, of: [A, B]", holds: (t) => has(t, "A") || has(t, "B") },
  { yaml: "kind: exclusive_choice, of: [A, B]", holds: (t) => has(t, "A") !== has(t, "B") },
  { yaml: "kind: responded_existence, first: A, second: B", holds: (t) => !has(t, "A") || has(t, "B") },
  { yaml: "kind: co_existence, first: A, second: B", holds: (t) => has(t, "A") === has(t, "B") },
  { yaml: "kind: not_co_existence, first: A, second: B", holds: (t) => !(has(t, "A") && has(t, "B")) },
  {
    yaml: "kind: not_responded_existence, first: A, second: B",
    holds: (t) => !(has(t, "A") && has(t, "B")),
  },
  { yaml: "kind: response, trigger: A, expect: B", holds: response },
  { yaml: "kind: alternate_response, first: A, second: B", holds: alternateResponse },
  { yaml: "kind: chain_response, first: A, second: B", holds: chainResponse },
  { yaml: "kind: precedence, first: A, second: B", holds: precedence },
  { yaml: "kind: alternate_precedence, first: A, second: B", holds: alternatePrecedence },
  { yaml: "kind: chain_precedence, first: A, second: B", holds: chainPrecedence },
  { yaml: "kind: succession, first: A, second: B", holds: (t) => response(t) && precedence(t) },
  {
    yaml: "kind: alternate_succession, first: A, second: B",
    holds: (t) => alternateResponse(t) && alternatePrecedence(t),
  },
  {
    yaml: "kind: chain_succession, first: A, second: B",
    holds: (t) => chainResponse(t) && chainPrecedence(t),
  },
  {
    yaml: "kind: not_succession, first: A, second: B",
    holds: (t) => every(t, "A", (i) => next(t, i, "B") === -1),
  },
  {
    yaml: "kind: not_precedence, first: A, second: B",
    holds: (t) => every(t, "B", (i) => previous(t, i, "A") === -1),
  },
  {
    yaml: "kind: not_chain_succession, first: A, second: B",
    holds: (t) => every(t, "A", (i) => t[i + 1] !== "B"),
  },
  { yaml: "kind: sequence, mode: exact, steps: [A, B]", holds: (t) => t.join("") === "AB" },
  {
    yaml: "kind: sequence, mode: in_order, steps: [A, B, A]",
    holds: (t) => /A.*B.*A/.test(t.join("")),
  },
];

function load(yaml: string): Rule {
  const text = `contract: declare\nrules:\n  - {id: rule, ${yaml}}\n`;
  const { set, problems } = loadContracts([{ file: "declare.yaml", text }], {});
  const rule = set?.contracts[0]?.rules[0];
  assert.ok(rule !== undefined, `${yaml}: ${problems.map(({ message }) => message).join("; ")}`);
  return rule;
}

function allTraces(most: number): Trace[] {
  const found: Trace[] = [[]];
  for (const trace of found) {
    if (trace.length < most) for (const symbol of "ABC") found.push([...trace, symbol]);
  }
  return found;
}

const eventsOf = (trace: Trace): Event[] =>
  trace.map((name, i) => event({ id: `${i}`, name, start: i, end: i }));

const longest = traceLength(6);

describe(`Declare templates on every trace up to length ${longest}`, () => {
  const traces = allTraces(longest).map((trace) => {
    const events = eventsOf(trace);
    return { trace, events, order: createOrder(events, plainClock, { closed: () => true }) };
  });

  it("tries all of them", () => assert.equal(traces.length, (3 ** (longest + 1) - 1) / 2));

  for (const { yaml, holds } of templates) {
    it(yaml, () => {
      const rule = load(yaml);
      for (const { trace, events, order } of traces) {
        const { verdict, final } = judge(rule, {
          events,
          order,
          completeness: closedBy("input_end"),
          missingAfter: "vacuous",
          nearMisses: false,
        });
        const want = holds(trace) ? ["satisfied", "vacuous"] : ["violated"];
        assert.ok(want.includes(verdict), `${trace.join("")}: ${verdict}`);
        assert.ok(final);
      }
    });
  }
});
