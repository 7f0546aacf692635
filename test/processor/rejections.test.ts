import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const contract = `
contract: flow
kinds: []
state_machines:
  - {id: steps, transitions: [[a, open, b], [b, close, c]], final: [c]}
rules:
  - {id: stages, kind: phases, initial: p, order: {p: [q]}, allow: {q: [pay]}, enter: {q: {after: approve}}}
  - {id: straight, kind: sequence, steps: [one, two], mode: exact}
  - {id: gate, kind: gate, require: approve, before: pay}
`;

function rejections(...names: readonly (string | Partial<SpanFact>)[]): readonly string[] {
  const driver = new Driver(contract);
  const facts = names.map((given, i) => {
    const more = typeof given === "string" ? { name: given } : given;
    return callFact({ spanId: `s${i}`, ...more }, i * 100);
  });
  driver.facts(1, ...facts).end();
  return driver
    .take("count")
    .flatMap((output) =>
      output.of === "reducer_rejection" ? [`${output.contract}/${output.rule} ${output.reason}`] : [],
    )
    .sort();
}

const rejected = (fields: Readonly<Record<string, string>>): Partial<SpanFact> => ({
  kind: "reducer_rejected",
  name: "late",
  fields: new Map(Object.entries(fields)),
});

describe("rejections are counted", () => {
  const rows: readonly {
    readonly name: string;
    readonly events: readonly (string | Partial<SpanFact>)[];
    readonly want: readonly string[];
  }[] = [
    { name: "none where every step is allowed", events: ["open", "close"], want: [] },
    {
      name: "an illegal step, once an instance",
      events: ["close", "close", "open", "open"],
      want: ["flow/steps illegal_transition"],
    },
    { name: "no end where no step was wrong", events: ["open"], want: [] },
    {
      name: "a call that its phase does not allow",
      events: ["pay"],
      want: ["flow/stages illegal_transition"],
    },
    { name: "no gate, and no sequence that differs", events: ["two", "one"], want: [] },
    {
      name: "a signal with its reason, and each of them",
      events: [rejected({ rejection_reason: "stale" }), rejected({ rejection_reason: "stale" })],
      want: ["/ stale", "/ stale"],
    },
    { name: "a signal that gives none", events: [rejected({})], want: ["/ none"] },
  ];
  for (const { name, events, want } of rows) {
    it(name, () => assert.deepEqual(rejections(...events), want));
  }

  it("each once, however often the run is looked at", () => {
    const driver = new Driver(contract);
    driver.facts(
      1,
      callFact({ spanId: "s0", name: "close" }),
      callFact({ spanId: "s1", ...rejected({}) }, 50),
    );
    driver
      .until(30)
      .facts(31, callFact({ spanId: "s2", name: "open" }, 100))
      .until(60)
      .end();
    const counted = driver.take("count").filter(({ of }) => of === "reducer_rejection");
    assert.equal(counted.length, 2);
  });
});
