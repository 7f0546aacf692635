import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demo } from "../../src/cli/demo.ts";
import { fakeTerminal } from "./fake-terminal.ts";

describe("the demo", () => {
  it("runs a real agent through the service, tells every run and the metrics that moved", async () => {
    const fake = fakeTerminal();
    assert.equal(await demo(fake.terminal), 0);
    const stories = fake.out.split(/^── /m).map((part) => part.trim());
    const told = (name: string): string => stories.find((story) => story.startsWith(name)) ?? "";
    assert.match(told("good"), /\nok: 1 run, 5 tool calls/);
    assert.match(
      told("incident"),
      /get_customer_plan .*<-- sensitive access\n.*check_requester_authorization .*<-- happened too late/,
    );
    assert.match(told("denied-then-approved"), /check_requester_authorization .*<-- denied\n/);
    assert.match(
      told("retry"),
      /retrieve_entitlement_policy +\S+ +\S+ +(?:error|timeout)(?:.|\n)*\nok: 1 run, 6 tool calls/,
    );
    assert.match(told("parallel"), /retrieve_policy_docs .*\(overlaps 01\)(?:.|\n)*\nok: 1 run/);
    assert.match(
      told("metrics"),
      /toolorder_violations_total\{contract="customer-feature-access",rule="auth-gate",severity="critical",category="safety_gate"\} 2\n/,
    );
    assert.match(told("metrics"), /toolorder_alert_active\{.*\} 1\n/);
  });
});
