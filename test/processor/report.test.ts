/** What every rule says of every run as it stands. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { report } from "../../src/processor/report.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const contract = `
contract: access
rules:
  - {id: none-here, kind: gate, require: check, before: export}
  - {id: by-run, kind: gate, require: check, before: read, must_apply: true}
  - {id: by-conversation, kind: gate, require: check, before: export, scope: conversation}
`;

describe("a rule with nothing to say", () => {
  const said = (driver: Driver) =>
    report(driver.state).flatMap(({ verdicts }) =>
      verdicts.map(({ rule, result }) => [rule.id, result.verdict, result.final]),
    );

  it("is not final before its scope closes, since what it is about may still come", () => {
    const driver = new Driver(contract).facts(1, callFact({ spanId: "c", name: "check" }, 0));
    assert.deepEqual(said(driver), [
      ["by-run", "pending", false],
      ["none-here", "vacuous", false],
      ["by-conversation", "vacuous", false],
    ]);
    assert.deepEqual(said(driver.end()), [
      ["by-run", "violated", true],
      ["none-here", "vacuous", true],
      ["by-conversation", "vacuous", true],
    ]);
  });
});
