/** What the trials found, once each: the smallest rule and trace on which the product was wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventSpec, PolicySpec, RuleSpec } from "../support/differential/language.ts";
import { createProduct, factOf } from "../support/differential/product.ts";
import { baseMs } from "../support/differential/slow-link.ts";

const ms = 1_000_000;
const policy: PolicySpec = { skew: 0, tie: "before", resolution: 1, inferOffset: true, evidence: "any" };

const event = (id: string, start: number, more: Partial<EventSpec> = {}): EventSpec => ({
  id,
  run: "r1",
  conversation: null,
  kind: "tool_call",
  name: "A",
  status: "success",
  start: start * ms,
  end: start * ms,
  host: "h1",
  seq: null,
  parents: [],
  links: [],
  parent: null,
  sync: false,
  args: {},
  result: {},
  dropped: [],
  ...more,
});

const shared = {
  id: "rule",
  scope: { is: "run" },
  onUnknown: "inconclusive",
  mustApply: false,
  clock: {},
} as const;
const apart: RuleSpec = { ...shared, kind: "apart", of: { names: ["A"] }, bind: [], where: [], limit: 1 };
const link: RuleSpec = {
  ...shared,
  kind: "link",
  anchor: { names: ["B"] },
  witness: { names: ["A"] },
  need: "past",
  quant: "some",
  atLeast: 1,
  bind: [],
  where: [],
  withinMs: null,
  validUntil: null,
  unlessBetween: [],
};
const count: RuleSpec = {
  ...shared,
  kind: "count",
  of: { names: ["A"] },
  min: null,
  max: 1,
  distinct: [],
  bind: [],
  windowMs: null,
};

interface Case {
  readonly name: string;
  readonly rule: RuleSpec;
  readonly events: readonly EventSpec[];
  /** Seconds between one event's arrival and the next; 0: all at once. */
  readonly pause?: number;
  /** `scope instance` → verdict. */
  readonly want: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  {
    name: "events that must not overlap are compared only where their comparison holds",
    rule: { ...apart, where: [{ left: "a.args.k", op: "==", right: "w.args.k" }] },
    events: [
      event("e1", 0, { end: 9 * ms, args: { k: 1 } }),
      event("e2", 1, { end: 8 * ms, args: { k: 2 } }),
      event("e3", 2, { end: 7 * ms, args: { k: 1 } }),
    ],
    want: { "r1 e1": "satisfied", "r1 e2": "satisfied", "r1 e3": "violated" },
  },
  {
    name: "a conversation is over with the input, though its run ended by itself before",
    rule: { ...link, need: "any", scope: { is: "conversation" } },
    events: [
      event("e1", 0, { name: "B", conversation: "c1" }),
      event("e2", 1, { name: "C", conversation: "c1" }),
    ],
    pause: 20,
    want: { "c1 e1": "violated" },
  },
  {
    name: "decisions of a run are in order, whether or not some event hangs from another",
    rule: {
      ...link,
      clock: { evidence: "causal" },
      anchor: { names: ["B"] },
      witness: { names: ["A"], boundary: "started_at" },
    },
    events: [
      event("e0", 0, { name: "C" }),
      event("e1", 1, { seq: 1 }),
      event("e2", 2, { name: "B", seq: 2, parent: "e0" }),
    ],
    want: { "r1 e2": "satisfied" },
  },
  {
    name: "empty text is no entity",
    rule: { ...count, scope: { is: "key", path: "args.k" } },
    events: [event("e1", 0, { args: { k: "" } }), event("e2", 1, { args: { k: "" } })],
    want: {},
  },
  {
    name: "an event without a key does not make a rule that was exercised look idle",
    rule: { ...count, mustApply: true, bind: ["args.k"], scope: { is: "all" } },
    events: [event("e1", 0, { args: { k: "1" } }), event("e2", 1, { args: { k: "" } })],
    want: { "all key 1": "satisfied" },
  },
  {
    name: "how far apart two events are is not known where an edge refutes their stamps",
    rule: { ...count, windowMs: 3 },
    events: [event("e1", 0, { parent: "e3" }), event("e2", 5), event("e3", 20)],
    want: { "r1 key ": "inconclusive" },
  },
  {
    name: "evidence has surely expired, although its own end cannot be believed",
    rule: { ...link, validUntil: "w.result.until" },
    events: [
      event("e1", 2, { end: 1 * ms, host: "h2", result: { until: baseMs + 3 } }),
      event("e2", 9, { name: "B" }),
    ],
    want: { "r1 e2": "violated" },
  },
  {
    name: "a parent that waited tells how far clocks are apart, also where the child is linked to it besides",
    rule: { ...link, quant: "none", clock: { skew: null } },
    events: [
      event("e1", 10, { end: 20 * ms, name: "B", host: "h2" }),
      event("e2", 5, { end: 10 * ms, name: "C", parent: "e1", links: ["e1"], sync: true }),
      event("e3", 16, { end: 18 * ms }),
    ],
    want: { "r1 e1": "satisfied" },
  },
];

describe("what random trials once found", () => {
  for (const { name, rule, events, pause = 0, want } of cases) {
    it(name, () => {
      const deliveries = events.map((one, i) => ({ second: 60 + i * pause, facts: [factOf(one)] }));
      const last = { second: 60 + events.length * pause, facts: [] };
      const found = createProduct([rule]).judge({ events, policy }, [...deliveries, last]);
      const verdicts = [...(found.get("rule") ?? [])].flatMap(([scope, instances]) =>
        [...instances].map(([id, { verdict }]) => [`${scope} ${id}`, verdict]),
      );
      assert.deepEqual(Object.fromEntries(verdicts), want);
    });
  }
});
