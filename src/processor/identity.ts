import { createHash } from "node:crypto";
import type { Event } from "../model/event.ts";
import type { InstanceVerdict } from "../model/verdict.ts";
import type { Rule } from "../rules/rule.ts";
import type { JudgedScope } from "./scopes.ts";

/**
 * What tells an event from every other, in whatever run. Ids of spans begin with their trace; one that somebody
 * wrote down is only the run's own, so that each run may have its `e1`.
 */
export function anchorOf({ run, id }: Pick<Event, "run" | "id">): string {
  return id.startsWith(`${run}:`) ? id : `${run}:${id}`;
}

export interface EventsById {
  get(id: string): Pick<Event, "run" | "id"> | undefined;
}

/**
 * The id under which a verdict is published: hash(contract, rule, rule revision, anchor), so that a replay or
 * a retry upserts. Where there is no anchor, the scope and the bind key stand for it. Scope, run and witness
 * of an anchored one are no part, since they may be learnt late (docs/semantics.md 9, "Identity"). 32 hex
 * digits. `events`: those of the scope at least, by id.
 */
export function verdictId(
  rule: Rule,
  scope: Pick<JudgedScope, "is" | "key">,
  instance: InstanceVerdict,
  events: EventsById,
): string {
  const { anchor, key } = instance;
  const event = anchor === null ? undefined : events.get(anchor);
  const about =
    anchor === null
      ? ["scope", scope.is, scope.key, key]
      : ["anchor", event === undefined ? anchor : anchorOf(event)];
  return createHash("sha256")
    .update([rule.contract, rule.id, rule.revision, ...about].join("\u0000"))
    .digest("hex")
    .slice(0, 32);
}
