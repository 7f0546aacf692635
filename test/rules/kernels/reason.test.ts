import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Code, Verdict } from "../../../src/model/verdict.ts";
import { instance } from "../../../src/rules/kernels/context.ts";
import { reasonOfLink } from "../../../src/rules/kernels/reason.ts";
import type { Link } from "../../../src/rules/program.ts";
import { link, named } from "../../support/programs.ts";

const reason = (more: Partial<Link>, verdict: Verdict = "satisfied", code: Code | null = null): string =>
  reasonOfLink(link(named("pay"), named("check"), more), instance({ verdict, final: true, code }));

describe("what a link asked", () => {
  const bind = [
    { anchor: ["args", "id"], witness: ["args", "key"] },
    { anchor: ["user"], witness: ["user"] },
  ];
  const cases: readonly { more: Partial<Link>; want: string }[] = [
    { more: {}, want: "check before pay: holds" },
    { more: { need: "future" }, want: "check after pay: holds" },
    { more: { need: "any" }, want: "check beside pay: holds" },
    { more: { quant: "none" }, want: "no check before pay: holds" },
    { more: { atLeast: 2 }, want: "2 check before pay: holds" },
    { more: { quant: "none", atLeast: 2 }, want: "no check before pay: holds" },
    { more: { bind }, want: "check before pay of the same args.id, user: holds" },
    { more: { need: "apart" }, want: "no two pay overlap: holds" },
    { more: { need: "apart", limit: 1 }, want: "no two pay overlap: holds" },
    { more: { need: "apart", limit: 3 }, want: "no more than 3 pay at a time: holds" },
  ];
  for (const { more, want } of cases) it(want, () => assert.equal(reason(more), want));
});

describe("how it came out", () => {
  it("holds, not yet, broken or not to be told", () => {
    assert.equal(reason({}, "pending"), "check before pay: not yet");
    assert.equal(reason({}, "violated"), "check before pay: broken");
    assert.equal(reason({}, "inconclusive"), "check before pay: cannot be told");
    assert.equal(reason({}, "violated", "expired"), "check before pay: broken, it had expired");
    assert.equal(
      reason({}, "inconclusive", "order_unknown"),
      "check before pay: cannot be told, their order cannot be told",
    );
  });

  it("what is missing, or has a name of the rule's own, needs no words more", () => {
    assert.equal(reason({}, "violated", "witness_missing"), "check before pay: broken");
    assert.equal(reason({}, "violated", "blind_retry"), "check before pay: broken");
  });

  it("has words of its own for whatever a witness can lack", () => {
    const lacks: readonly Code[] = [
      "witness_late",
      "overlap",
      "witness_never_finished",
      "wrong_entity",
      "unbound_key",
      "wrong_status",
      "missing_attribute",
      "expired",
      "deadline_missed",
      "invalidated",
      "blocked",
      "same_decision",
      "unenforced_order",
      "order_unknown",
      "causal_cycle",
      "clock_contradiction",
      "invalid_interval",
      "time_out_of_range",
      "not_captured",
      "not_kept",
      "data_incomplete",
      "scope_unknown",
      "evicted",
    ];
    const said = lacks.map(
      (code) => /^check before pay: broken, (\w.*\w)$/.exec(reason({}, "violated", code))?.[1],
    );
    assert.equal(said.includes(undefined), false);
    assert.equal(new Set(said).size, lacks.length);
  });
});
