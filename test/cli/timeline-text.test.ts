import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { colour, plain } from "../../src/cli/style.ts";
import { timelineText, wrap } from "../../src/cli/timeline-text.ts";
import { timelineOf } from "../../src/timeline/view-model.ts";
import { incident, input, rule } from "../timeline/events.ts";

const why =
  "The agent accessed customer plan data before confirming that the requester was authorized to view the customer account.";
const shown = timelineOf(
  input(
    incident,
    {
      anchor: "e2",
      witness: "e3",
      code: "witness_late",
      nearMisses: [{ event: "e3", code: "witness_late" }],
    },
    { rule: rule({ title: "authorization gate violated", why }) },
  ),
);

describe("the text of a timeline", () => {
  it("shows the case, what failed, the steps, and why it matters", () => {
    assert.equal(
      timelineText(shown, "incident", "auth-gate (contract.yaml:23)", plain),
      `Case: customer-feature-access
Failure: authorization gate violated
Severity: critical (block)
Run: incident
Rule: auth-gate (contract.yaml:23)

Timeline:
  01. resolve_customer                success
  02. get_customer_plan               success   <-- sensitive access
  03. check_requester_authorization   success   <-- happened too late
  04. retrieve_entitlement_policy     success
  05. check_feature_entitlement       success
  06. final_answer                    success

Expected:
  check_requester_authorization before get_customer_plan

Why this matters:
  The agent accessed customer plan data before confirming that the requester
  was authorized to view the customer account.
`,
    );
  });

  it("says the same in colour", () => {
    const coloured = timelineText(shown, "incident", "auth-gate", colour);
    assert.ok(coloured.includes("\u001b["));
    assert.equal(stripVTControlCharacters(coloured), timelineText(shown, "incident", "auth-gate", plain));
  });

  it("keeps columns in line, with times, folds, a missing step and a long run", () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      id: `e${index + 1}`,
      name: index === 104 ? "get_customer_plan" : `search_${index}`,
      start: index * 1000,
      end: index * 1000 + (index === 103 ? 3_000 : 40),
    }));
    const text = timelineText(
      timelineOf(input(many, { anchor: "e105", code: "witness_missing" }, { timed: true })),
      "long",
      "auth-gate",
      plain,
    );
    const rows = text.split("Timeline:\n")[1]?.split("\n\n")[0]?.split("\n") ?? [];
    assert.deepEqual(rows, [
      "    …  102 more",
      "  103. search_102                      +1m42s    40ms   success",
      "  104. search_103                      +1m43s   3.00s   success",
      "  ---. check_requester_authorization                    never happened   <-- missing",
      "  105. get_customer_plan               +1m44s    40ms   success          <-- sensitive access (overlaps 104)",
      "  106. search_105                      +1m45s    40ms   success          (overlaps 104)",
      "  107. search_106                      +1m46s    40ms   success",
      "    …  13 more",
    ]);
  });

  it("lets no control character of a tool's name reach the terminal", () => {
    const evil = incident.map((event) =>
      event.id === "e1" ? { ...event, name: "\u001b[2Jresolve\ncustomer" } : event,
    );
    const text = timelineText(timelineOf(input(evil, { anchor: "e2" })), "run\u0007", "r\u001b]0;x", plain);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f]/);
    assert.ok(text.includes("resolve"));
  });

  it("shows the state of a machine and what it allowed", () => {
    const text = timelineText(
      timelineOf(
        input(
          incident,
          {
            code: "illegal_transition",
            involved: ["e1", "e2"],
            machine: { state: "customer_resolved", allowed: ["check_requester_authorization"] },
          },
          { rule: rule({ link: null, expected: "steps that the states allow" }) },
        ),
      ),
      "machine",
      "account",
      plain,
    );
    assert.match(text, /\nState:\n {2}customer_resolved allows check_requester_authorization\n/);
    assert.match(text, /get_customer_plan .*<-- sensitive access, not allowed in customer_resolved\n/);
  });
});

describe("wrapping", () => {
  it("breaks at spaces and leaves long words whole", () => {
    assert.deepEqual(wrap("aa bb cc", 5), ["aa bb", "cc"]);
    assert.deepEqual(wrap("a verylongword b", 5), ["a", "verylongword", "b"]);
    assert.deepEqual(wrap("", 5), []);
  });
});
