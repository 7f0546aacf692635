/**
 * The attributes by which an agent states its own decisions, turns, keys and versions, and those of plain
 * events. No standard exists for most of these; `toolorder/agent` stamps them, and any program may.
 */

/**
 * Event field → attributes it is read from, first found wins. Source: our own
 * (docs/dialects.md#what-your-agent-can-say-itself).
 */
export const agentFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["turn", ["agent.turn.id", "agent.turn"]],
  ["seq", ["agent.decision.seq", "agent.seq"]],
  ["decision", ["agent.decision.id", "agent.decision"]],
  ["parents", ["agent.causal.parents", "agent.parents"]],
  ["request_id", ["agent.request_id"]],
  ["request", ["agent.request.id", "agent.request"]],
  ["key", ["agent.idempotency_key", "agent.idempotency.key", "agent.key"]],
  ["input_hash", ["agent.input_hash", "agent.input.hash"]],
  ["outcome", ["agent.outcome"]],
  ["provider_id", ["agent.provider_id", "agent.provider.id"]],
  ["correlation_id", ["agent.correlation_id", "agent.correlation.id"]],
  ["base_version", ["agent.base_version", "agent.state.base_version"]],
  ["state_version", ["agent.state.version", "agent.state_version"]],
  ["version", ["agent.version.seen", "agent.resource.version"]],
  ["if_match", ["agent.if_match"]],
  ["resource", ["agent.resource", "agent.resource.id"]],
  ["field", ["agent.field"]],
  ["disposition", ["agent.disposition"]],
  ["event_id", ["agent.event.id", "agent.event_id"]],
  ["event_seq", ["agent.event.seq"]],
  ["node", ["agent.node", "agent.node.id"]],
  ["attempt", ["agent.attempt"]],
  ["actor", ["agent.actor"]],
  ["user", ["agent.user", "agent.user.id"]],
  ["workflow", ["agent.workflow", "agent.workflow.id"]],
  ["evidence_id", ["agent.evidence_id", "agent.evidence.id"]],
  ["approval_id", ["agent.approval_id", "agent.approval.id"]],
  ["effect", ["agent.effect"]],
  ["effect_key", ["agent.effect.key", "agent.effect_key"]],
  ["retryable", ["agent.retryable"]],
  ["compensable", ["agent.compensable"]],
  ["content_hash", ["agent.content_hash"]],
  ["journal_hash", ["agent.journal_hash"]],
  ["state_hash", ["agent.state_hash"]],
  ["rejection_reason", ["agent.rejection_reason"]],
  ["logical_time", ["agent.logical_time"]],
  ["child_count", ["agent.child.count"]],
]);

/** Turns a span or a span event into a signal of that kind. */
export const agentEventKind = "agent.event.kind";
/** The name of such a signal, where it has one. */
export const agentEventName = "agent.event.name";
/** The agent's own id of the run, for `run_key`. */
export const agentRunId = "agent.run.id";

/** Beginning of the attributes that encode a plain event: one span an event, `toolorder.event.<field>`. */
export const plainPrefix = "toolorder.event.";
