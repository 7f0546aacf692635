import { createHash } from "node:crypto";
import type { InstanceVerdict } from "../model/verdict.ts";
import type { Rule } from "../rules/rule.ts";
import type { JudgedScope } from "./scopes.ts";

/**
 * The id under which a verdict is published: hash(contract, rule, rule revision, anchor), so that a replay or
 * a retry upserts. Where there is no anchor, the scope and the bind key stand for it. Scope, run and witness
 * of an anchored one are no part, since they may be learnt late (docs/semantics.md 9, "Identity"). 32 hex
 * digits.
 */
export function verdictId(
  rule: Rule,
  scope: Pick<JudgedScope, "is" | "key">,
  instance: InstanceVerdict,
): string {
  const about =
    instance.anchor === null ? ["scope", scope.is, scope.key, instance.key] : ["anchor", instance.anchor];
  return createHash("sha256")
    .update([rule.contract, rule.id, rule.revision, ...about].join("\u0000"))
    .digest("hex")
    .slice(0, 32);
}
