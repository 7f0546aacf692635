/**
 * The attributes by which an agent states its own decisions, turns, keys and versions, and those of plain
 * events. No standard exists for most of these; `toolorder/agent` stamps them, and any program may. The list,
 * for people, is docs/attributes.md.
 */
import { decisionAttributes, signalAttributes } from "./attribute-table.ts";
import { effectAttributes } from "./attribute-table-effects.ts";

/** Every attribute that fills an event field. */
export const fieldAttributes = [...decisionAttributes, ...effectAttributes];

/** Event field → attributes it is read from, first found wins, where the configuration names no others. */
export const agentFields: ReadonlyMap<string, readonly string[]> = new Map(
  fieldAttributes.map(({ is, names }) => [is, names]),
);

/** Kind of event → attributes that are such a signal on whatever span they stand. */
export const agentSignals: ReadonlyMap<string, readonly string[]> = new Map(
  signalAttributes.map(({ is, names }) => [is, names]),
);

/** Turns a span or a span event into a signal of that kind. */
export const agentEventKind = "agent.event.kind";
/** The name of such a signal, where it has one. */
export const agentEventName = "agent.event.name";

/** Names that `toolorder/agent` writes. */
export const agentRunId = "agent.run.id";
export const agentTurnId = "agent.turn.id";
export const agentDecisionSeq = "agent.decision.seq";
export const agentDecisionId = "agent.decision.id";
export const agentStateVersion = "agent.state.version";
export const agentBaseVersion = "agent.base.version";
export const agentCausalParents = "agent.causal.parents";
export const agentChildCount = "agent.child.count";
export const agentEventSeq = "agent.event.seq";

/** On a resource: its processes say when a tool call begins, not only when it ends. */
export const startSignalsResource = "toolorder.start_signals";

/**
 * A span that only says that another one, its parent, has begun (docs/agent.md#start-signals). It repeats that
 * span's name, kind, start and attributes, and is read as a copy of it that has not ended.
 */
export const startSignal = "toolorder.signal";
export const startSignalValue = "start";
/** On a start signal: the parent of the span that has begun; absent where it is a root. */
export const startSignalParent = "toolorder.signal.parent";
/** On a start signal: whether that parent is in another process. */
export const startSignalRemote = "toolorder.signal.parent_remote";
/** On a start signal: how many signals this process could not send so far; absent for none. */
export const startSignalDropped = "toolorder.signal.dropped";

/** Beginning of the attributes that encode a plain event: one span an event, `toolorder.event.<field>`. */
export const plainPrefix = "toolorder.event.";
