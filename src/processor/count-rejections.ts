/**
 * Events that a state machine did not allow (docs/causality.md#rejections): the first illegal step of each instance
 * of a machine's rule, and every `reducer_rejected` signal of an agent's own reducer.
 */
import type { Event } from "../model/event.ts";
import type { CountOutput } from "../model/output.ts";
import type { Code, InstanceVerdict } from "../model/verdict.ts";
import type { Rule } from "../rules/rule.ts";
import { rejectingKinds } from "../rules/sugar/machine.ts";

/** What is wrong with the end of an instance, and with no step of it. */
const ofTheEnd: ReadonlySet<Code | null> = new Set(["not_final", "deadline_missed", "anchor_missing", null]);

export function rejectedStep(rule: Rule, { code }: InstanceVerdict): readonly CountOutput[] {
  if (!rejectingKinds.has(rule.kind) || ofTheEnd.has(code)) return [];
  return [
    {
      type: "count",
      of: "reducer_rejection",
      contract: rule.contract,
      rule: rule.id,
      reason: code ?? "illegal_transition",
    },
  ];
}

export const isRejection = ({ kind }: Event): boolean => kind === "reducer_rejected";

export function countRejection(event: Event): CountOutput {
  const reason = event.fields.get("rejection_reason");
  return {
    type: "count",
    of: "reducer_rejection",
    contract: "",
    rule: "",
    reason: typeof reason === "string" && reason !== "" ? reason : "none",
  };
}
