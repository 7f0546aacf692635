/** A loop that breaks one rule many times: every format stays short, counts all of it, and stays quick. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gateContract, runCheck, workFolder } from "./check-run.ts";

const folder = workFolder();
const times = 2_000;

async function judge(format: string, approvals: string | null = null) {
  return runCheck({
    contracts: [folder.write("rule.yaml", gateContract("high"))],
    traces: [folder.write("loop.json", JSON.stringify(Array.from({ length: times }, () => ({ name: "B" }))))],
    approvals: approvals === null ? null : folder.write("approvals.yaml", approvals),
    today: "2026-11-30",
    format,
  });
}

describe(`a rule that is broken ${times} times in one run`, () => {
  it("is shown a few times in the text, and counted", async () => {
    const { out } = await judge("text");
    assert.equal(out.match(/^Case: /gm)?.length, 5);
    assert.match(out, /… and 1995 more of r in this run/);
    assert.match(out, /\nBlocking: 2000\n {2}high {6}c\/r {2}loop {2}×2000\n/);
  });

  it("is a few annotations", async () => {
    const { out } = await judge("github");
    assert.equal(out.match(/^::error /gm)?.length, 5);
    assert.match(out, /%0Aand 1995 more in this run/);
  });

  it("is one case with one failure", async () => {
    const { out } = await judge("junit");
    assert.equal(out.match(/<failure /g)?.length, 1);
    assert.match(out, /message="[^"]* \(and 1999 more\)"/);
    assert.ok(out.length < 20_000, `${out.length} characters`);
  });

  it("is as many results, each with a text, an id of its own, and few timelines", async () => {
    const { out } = await judge("sarif");
    const results: readonly {
      readonly message: { readonly text: string };
      readonly partialFingerprints: Readonly<Record<string, string>>;
    }[] = JSON.parse(out).runs[0].results;
    assert.equal(results.length, times);
    assert.ok(results.every(({ message }) => message.text.length > 20));
    const prints = results.flatMap(({ partialFingerprints }) => Object.values(partialFingerprints));
    assert.equal(new Set(prints).size, times);
    assert.equal(results.filter(({ message }) => message.text.includes("\n01. ")).length > 0, true);
    assert.ok(results.filter(({ message }) => message.text.includes("\n")).length <= 5);
  });

  it("has no timeline at all once it is approved", async () => {
    const approval =
      "approvals:\n  - {contract: c, rule: r, run: loop, by: ana, reason: it loops, until: 2026-12-31}\n";
    const { out, code } = await judge("text", approval);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /^Case: /m);
    assert.match(out, /\nApproved: 2000\n {2}c\/r {2}loop {2}by ana until 2026-12-31: it loops {2}×2000\n/);
  });
});
