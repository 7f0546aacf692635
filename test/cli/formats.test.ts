/** The formats are ways to write down one result: they end alike, and say nothing to standard error. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CheckOptions } from "../../src/cli/check.ts";
import { formats } from "../../src/cli/formats.ts";
import {
  brokenRun,
  gateContract,
  idleRun,
  keptRun,
  runCheck,
  undecidedRun,
  workFolder,
} from "./check-run.ts";

const folder = workFolder();
const approvals = folder.write(
  "approvals.yaml",
  'approvals:\n  - {contract: c, rule: r, file: "**", by: ana, reason: known, until: 2026-12-31}\n',
);

const table: readonly {
  readonly name: string;
  readonly severity: string;
  readonly events: string;
  readonly more?: Partial<CheckOptions>;
  readonly ends: number;
}[] = [
  { name: "kept", severity: "high", events: keptRun, ends: 0 },
  { name: "broken", severity: "high", events: brokenRun, ends: 1 },
  { name: "broken below the threshold", severity: "low", events: brokenRun, ends: 0 },
  { name: "undecided", severity: "high", events: undecidedRun, ends: 3 },
  { name: "idle", severity: "high", events: idleRun, ends: 0 },
  {
    name: "approved",
    severity: "high",
    events: brokenRun,
    more: { approvals, today: "2026-12-01" },
    ends: 0,
  },
];

describe("every format", () => {
  for (const { name, severity, events, more, ends } of table) {
    it(`ends with ${ends} where a rule is ${name}, and again with the same bytes`, async () => {
      for (const format of formats) {
        const options = {
          contracts: [folder.write("rule.yaml", gateContract(severity))],
          traces: [folder.write("events.json", events)],
          format,
          ...more,
        };
        const { code, out, err } = await runCheck(options);
        assert.equal(code, ends, format);
        assert.equal(err, "", format);
        assert.notEqual(out, "", format);
        assert.equal((await runCheck(options)).out, out, format);
      }
    });
  }

  it("is plain where it is for machines, also on a terminal", async () => {
    for (const format of formats.filter((format) => format !== "text")) {
      const { out } = await runCheck({ format }, true);
      assert.ok(!out.includes("\u001b"), format);
    }
    assert.ok((await runCheck({}, true)).out.includes("\u001b"));
  });
});
