/** The verdict on a recorded run: contracts, facts and the end of input through `step`, as `check` does it. */

import { defaultSettings } from "../../src/model/settings.ts";
import type { Span } from "../../src/model/span.ts";
import type { InstanceVerdict } from "../../src/model/verdict.ts";
import { createNormalizer, type Normalizer } from "../../src/processor/normalize/normalize.ts";
import { ruleSet, step } from "../../src/processor/pipeline.ts";
import { report } from "../../src/processor/report.ts";
import { createState } from "../../src/processor/state.ts";
import { arrival } from "./judge-run.ts";
import type { RecordedRun } from "./runs.ts";

const contract = `contract: recorded-runs
rules:
  - id: authorization-before-plan
    kind: gate
    require: {tool: check_requester_authorization}
    before: {tool: get_customer_plan}
    scope: conversation
    severity: critical
`;

/** Verdicts of every plan call, in no order; `read` decodes the run by the plan that the contract leaves. */
export function planVerdicts(
  read: (normalizer: Normalizer) => readonly (readonly Span[])[],
): readonly InstanceVerdict[] {
  const state = createState();
  const sources = [{ file: "recorded-runs.yaml", text: contract }];
  step(state, { type: "contracts", at: arrival, sources, settings: defaultSettings });
  const set = ruleSet(state);
  if (set === null) throw new Error("the contract did not load");
  const normalizer = createNormalizer({ projection: set.projection, mappings: [] });
  for (const spans of read(normalizer)) {
    const facts = spans.map((span) => normalizer.normalize(span, arrival, null));
    step(state, { type: "facts", at: arrival, projection: set.projection.id, facts });
  }
  step(state, { type: "input_end", at: arrival });
  return report(state).flatMap((run) => run.verdicts.flatMap((judged) => judged.result.instances));
}

/** What the truth says of every plan call, in the words of verdicts. */
export function trueVerdicts(run: RecordedRun): readonly ("satisfied" | "violated")[] {
  return run.truth.contract_auth_before_plan.map(({ verdict }) =>
    verdict === "held" ? "satisfied" : "violated",
  );
}
