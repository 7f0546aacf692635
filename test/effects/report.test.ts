/** What `check` says of effects: calls in the timeline, not what was made of them, and what is open. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runCheck, workFolder } from "../cli/check-run.ts";

const folder = workFolder();
const contract = folder.write(
  "shop.yaml",
  `contract: shop
tools: {charge: {effect: external}}
effects:
  - {id: pay, tool: charge, lookup: find, key: args.key, request: args.order}
`,
);
const call = (id: string, start: number, more: object) => ({
  id,
  name: "charge",
  start,
  end: start + 100,
  args: { key: "secret-key", order: "R1" },
  ...more,
});
const trace = folder.write(
  "run.json",
  JSON.stringify([call("first", 0, { status: "timeout" }), call("again", 5000, { status: "timeout" })]),
);

describe("check, of effects", () => {
  it("shows calls in the timeline, each once", async () => {
    const { out } = await runCheck({ contracts: [contract], traces: [trace] });

    assert.match(out, /pay\.lookup_before_retry/);
    assert.doesNotMatch(out, /effect_call|effect_observed/);
    const [timeline = ""] = out.split("Timeline:").slice(1);
    assert.equal(timeline.split("Expected:")[0]?.match(/^ +\d+\. +charge/gm)?.length, 2);
  });

  it("lists what is open with what would close it, and never a key", async () => {
    const { out } = await runCheck({ contracts: [contract], traces: [trace] });

    assert.match(out, /Open effects: 1\n {2}unknown +shop\.pay {2}charge \(first\) {2}closed by a lookup/);
    assert.doesNotMatch(out, /secret-key/);
  });

  it("says the same to machines", async () => {
    const { out } = await runCheck({ contracts: [contract], traces: [trace], format: "json" });
    const { runs } = JSON.parse(out) as { runs: readonly { effects_open?: readonly object[] }[] };

    const [open, ...more] = runs.flatMap(({ effects_open: list = [] }) => list);
    assert.deepEqual(more, []);
    assert.deepEqual(Object.keys(open ?? {}), [
      "ledger",
      "state",
      "event",
      "tool",
      "key_ref",
      "since",
      "closed_by",
    ]);
    assert.doesNotMatch(JSON.stringify(open), /secret-key/);
  });

  it("says nothing of effects where all are known", async () => {
    const good = folder.write("good.json", JSON.stringify([call("once", 0, { result: {} })]));
    const { out } = await runCheck({ contracts: [contract], traces: [good] });

    assert.doesNotMatch(out, /Open effects/);
  });
});
