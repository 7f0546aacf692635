import { approvalKinds } from "./approval.ts";
import { boundKinds } from "./bounds.ts";
import { identityKinds } from "./causal-identity.ts";
import { listKinds } from "./causal-lists.ts";
import { orderKinds } from "./causal-order.ts";
import { writeKinds } from "./causal-writes.ts";
import { countKinds } from "./count.ts";
import { declareKinds } from "./declare.ts";
import { detectionKinds } from "./detections.ts";
import { duringKinds } from "./during.ts";
import { evidenceKinds } from "./evidence.ts";
import { gateKinds, orderedPair } from "./gate.ts";
import { linkKinds } from "./link.ts";
import { machineKinds } from "./machine.ts";
import { phaseKinds } from "./phases.ts";
import { responseKinds } from "./response.ts";
import type { RuleKind } from "./rule-kind.ts";

export const ruleKinds: ReadonlyMap<string, RuleKind> = new Map(
  [
    ...gateKinds,
    ...responseKinds,
    ...declareKinds,
    ...countKinds,
    ...machineKinds,
    ...linkKinds,
    ...evidenceKinds,
    ...approvalKinds,
    ...duringKinds,
    ...boundKinds,
    ...phaseKinds,
    ...detectionKinds,
    ...identityKinds,
    ...orderKinds,
    ...listKinds,
    ...writeKinds,
  ].map((kind) => [kind.kind, kind]),
);

/** What stands under `then` in `conditional_ordering`. */
export const pairKind: RuleKind = { kind: "conditional_ordering", category: "by_tool", build: orderedPair };

/** Kinds with an `if` around another rule. */
export const guardedKinds = ["conditional_ordering", "conditional"] as const;
