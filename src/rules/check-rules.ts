/** What only shows when the rules of one contract are seen together, or beside its head. */
import type { ContractHead } from "./parse-contract.ts";
import type { Draft } from "./parse-rule.ts";

export function checkRules(head: ContractHead, drafts: readonly Draft[]): void {
  refuseSameId(head, drafts);
  for (const draft of drafts) {
    warnOrderingEverywhere(head, draft);
    warnProofWithoutStatus(head, draft);
  }
}

function refuseSameId(head: ContractHead, drafts: readonly Draft[]): void {
  const first = new Map<string, Draft>();
  for (const draft of drafts) {
    if (draft.id === null) continue;
    const earlier = first.get(draft.id);
    if (earlier === undefined) {
      first.set(draft.id, draft);
      continue;
    }
    head.problems.error(
      draft.idRange,
      "duplicate-rule",
      `the rule id "${draft.id}" is taken by the rule on line ${earlier.idRange.line}`,
      "Give each rule of a contract its own id.",
    );
  }
}

function warnOrderingEverywhere(head: ContractHead, draft: Draft): void {
  if (!draft.rule.pairRequired || head.hasAppliesTo || draft.rule.missingAfter === "vacuous") return;
  head.problems.warn(
    draft.rule.range,
    "ordering-everywhere",
    "an ordering without applies_to fails every run that lacks its later side, in check and test, and with missing_after: violated in serve too",
    "Use kind gate, which judges only runs that take the later step, or say with applies_to which runs are meant.",
  );
}

function warnProofWithoutStatus(head: ContractHead, draft: Draft): void {
  const { proof, rule } = draft;
  if (rule.category !== "safety_gate" || proof === null || proof.namesStatus) return;
  // A result that must be there says as much: what failed has no result of success.
  if (proof.tests.some(({ path }) => path[0] === "result")) return;
  const callable =
    proof.kinds !== null && [...proof.kinds].some((kind) => kind === "tool_call" || kind === "retrieval");
  if (!callable) return;
  head.problems.warn(
    rule.range,
    "proof-without-status",
    `a failed or refused call of ${proof.text} would satisfy this safety gate`,
    "Name the status, or the result, that counts: {tool: …, status: success}.",
  );
}
