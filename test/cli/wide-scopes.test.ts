/** Findings of rules that look beyond one run: where they stand, and what is shown with them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runCheck, workFolder } from "./check-run.ts";

const folder = workFolder();

const event = (run: string, name: string, ticket: string, second: number) => ({
  id: `${run}-${name}-${second}`,
  run,
  conversation: `talk-${run}`,
  name,
  args: { ticket },
  start: second * 1_000,
  end: second * 1_000 + 500,
});

const events = [
  event("r1", "close_ticket", "T-1", 1),
  event("r2", "look_up", "T-2", 2),
  event("r3", "approve", "T-1", 3),
  event("r4", "close_ticket", "T-2", 4),
];

const gate =
  "kind: gate, require: {tool: approve, status: success}, before: close_ticket, within: 1h, severity: high";
const noClosing = "kind: count, of: close_ticket, max: 0, bind: [args.ticket], severity: high";

async function judge(rule: string, format = "text", list: readonly object[] = events) {
  const contract = `contract: c\nrules:\n  - {id: r, ${rule}}\n`;
  const { code, out, err } = await runCheck({
    contracts: [folder.write("rule.yaml", contract)],
    traces: [folder.write("events.json", JSON.stringify(list))],
    format,
  });
  return { code, out: folder.bare(out), err };
}

describe("a rule over one entity in whatever run", () => {
  it("shows the entity's events, of every run, and no other", async () => {
    const { code, out } = await judge(`${gate}, scope: {key: args.ticket}`);
    assert.equal(code, 1);
    const [late, missing] = out.split("─".repeat(78));
    assert.match(late ?? "", /^Run: r1 \(key T-1\)$/m);
    assert.match(late ?? "", /01\. close_ticket .*\n {2}02\. approve .*<-- happened too late\n\n/);
    assert.match(missing ?? "", /^Run: r4 \(key T-2\)$/m);
    assert.match(
      missing ?? "",
      /01\. look_up .*\n {2}--\. approve +never happened .*\n {2}02\. close_ticket/,
    );
    assert.match(out, /Blocking: 2\n {2}high +c\/r {2}r1 \(key T-1\)\n {2}high +c\/r {2}r4 \(key T-2\)\n/);
  });
});

describe("a rule over all runs", () => {
  it("shows the runs that it speaks of", async () => {
    const { code, out } = await judge(`${gate}, scope: all, bind: [args.ticket]`);
    assert.equal(code, 1);
    const [late] = out.split("─".repeat(78));
    assert.match(late ?? "", /^Run: r1 \(all runs\)$/m);
    assert.match(late ?? "", /01\. close_ticket .*\n {2}02\. approve .*<-- happened too late\n\n/);
    assert.doesNotMatch(late ?? "", /look_up/);
  });

  it("is a case of its own for every key", async () => {
    const { out } = await judge(`${noClosing}, scope: all`, "junit", [
      event("r1", "close_ticket", "T-1", 1),
      event("r1", "close_ticket", "T-2", 2),
    ]);
    const names = [...out.matchAll(/<testcase name="([^"]*)"/g)].map(([, name]) => name);
    assert.ok(names.length >= 2);
    assert.equal(new Set(names).size, names.length, names.join(", "));
  });

  it("has a fingerprint for each finding", async () => {
    const { out } = await judge(`${noClosing}, scope: all`, "sarif");
    const prints = [...out.matchAll(/"toolorderVerdict\/v1": "([0-9a-f]{32})"/g)].map(([, print]) => print);
    assert.equal(prints.length, 2);
    assert.equal(new Set(prints).size, 2);
  });
});
