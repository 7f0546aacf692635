import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { type Context, context, type Span } from "@opentelemetry/api";
import { type Identity, identityIn, withIdentity } from "./identity.ts";

/**
 * Where in an agent's work the running code is: which run, which user turn, which decision. The numbers are
 * counted here, by the program; nothing is ever read from what a model says.
 *
 * Scopes follow asynchronous code (AsyncLocalStorage) and, for child agents, W3C baggage. All that has to
 * outlive the process is a plain object (`snapshot`), which `resume` carries on.
 */

/** A run as plain data, fit for JSON. What `snapshot` gives and `resume` takes. */
export interface Snapshot {
  readonly format: 1;
  /** `agent.run.id`. */
  readonly run: string;
  /** `gen_ai.conversation.id`; null: the spans say it themselves, or nobody does. */
  readonly conversation: string | null;
  /** `agent.turn.id` of the turn under way, and how many turns there were. */
  readonly turn: string | null;
  readonly turns: number;
  /** `agent.decision.seq` of the decision under way, and the highest number given. */
  readonly decision: number | null;
  readonly decisions: number;
  /** Version of the agent's state (`agent.state.version`). */
  readonly stateVersion: string | number | null;
}

/** What the whole run shares, however many asynchronous branches work on it. */
export interface RunState {
  readonly id: string;
  readonly conversation: string | null;
  turns: number;
  decisions: number;
  stateVersion: string | number | null;
  /** The program numbers its decisions itself, so nobody else does. */
  explicit: boolean;
  /** Settles when what was handed to stores so far is stored: an older state never overwrites a newer one. */
  saved: Promise<unknown>;
}

/** What one asynchronous branch is in. */
export interface Frame {
  /** null where the identity came from the process that called us: its numbers are not ours to count. */
  readonly run: RunState | null;
  readonly identity: Identity;
  readonly baseVersion: string | number | null;
  /** What the spans begun directly in here were built on. */
  readonly causes: readonly string[];
  /** Tells one `causedBy` from the next. */
  readonly causeKey: object | null;
}

const storage = new AsyncLocalStorage<Frame>();

/** The frame of the running code; else what the caller's baggage says; else null. */
export function currentFrame(parent: Context = context.active()): Frame | null {
  return storage.getStore() ?? inheritedFrame(identityIn(parent));
}

export interface RunOptions {
  /** `agent.run.id`; made up where none is given. */
  readonly id?: string;
  /** `gen_ai.conversation.id` for every span of the run that states none. */
  readonly conversation?: string;
}

/**
 * Runs `body` as one agent run. Inside another run it is a child agent: a run of its own, with its own numbers,
 * in the same conversation and turn.
 */
export function run<T>(options: RunOptions, body: () => T): T {
  const outer = currentFrame();
  const state = newRun(options.id ?? randomUUID(), options.conversation ?? outer?.identity.conversation);
  const turn = outer?.identity.turn ?? null;
  return enter({ ...blank, run: state, identity: identityOf(state, turn, null) }, body);
}

export interface TurnOptions {
  /** `agent.turn.id`; by default the run's id and the number of the turn. */
  readonly id?: string;
}

/** Runs `body` as one user turn of the current run. */
export function turn<T>(options: TurnOptions, body: () => T): T {
  const frame = ownFrame();
  const { run: state } = frame;
  state.turns += 1;
  const id = options.id ?? `${state.id}/t${state.turns}`;
  return enter({ ...blank, run: state, identity: identityOf(state, id, null) }, body);
}

export interface DecisionOptions {
  /**
   * Stores the run before anything of the decision may start: `body` runs once this has resolved, and not at all
   * where it rejects. Calls of it never overlap within a run, and each gets a state no older than the last.
   */
  readonly persist?: (state: Snapshot) => unknown;
  /** Version of the state that the decision was made on (`agent.base.version`). */
  readonly baseVersion?: string | number;
}

/**
 * Runs `body` as what one decision of the model asked for. The number is given when this is called, so that
 * decisions that overlap are numbered in the order in which they were made.
 *
 * Resolves with what `body` gives. Rejects with what `persist` or `body` throws.
 */
export async function decision<T>(
  options: DecisionOptions,
  body: (seq: number) => T | Promise<T>,
): Promise<T> {
  const frame = ownFrame();
  const { run: state } = frame;
  state.explicit = true;
  state.decisions += 1;
  const seq = state.decisions;
  const inside: OwnFrame = {
    ...blank,
    run: state,
    identity: identityOf(state, frame.identity.turn, seq),
    baseVersion: options.baseVersion ?? frame.baseVersion,
  };
  const { persist } = options;
  if (persist !== undefined) {
    const store = (): unknown => persist(stateOf(inside));
    const stored = state.saved.then(store, store);
    state.saved = stored.catch(() => undefined);
    await stored;
  }
  return enter(inside, () => body(seq));
}

/**
 * Runs `body` so that the spans begun directly in it name what they were built on (`agent.causal.parents`): spans
 * of calls, or the calls' ids as the program gave them.
 */
export function causedBy<T>(causes: Cause | readonly Cause[], body: () => T): T {
  const frame = currentFrame() ?? { ...blank, run: null, identity: nobody };
  const list: readonly Cause[] = Array.isArray(causes) ? causes : [causes as Cause];
  return enter({ ...frame, causes: list.map(referenceOf), causeKey: {} }, body);
}

export type Cause = string | Span;

/** States the version of the agent's state from here on (`agent.state.version`). */
export function stateVersion(version: string | number): void {
  const state = currentFrame()?.run;
  if (state) state.stateVersion = version;
}

/** The current run as plain data; null outside of a run. */
export function snapshot(): Snapshot | null {
  const frame = currentFrame();
  return frame?.run == null ? null : stateOf(frame as OwnFrame);
}

/**
 * Runs `body` where the snapshot left off, in this process or another: the same run and turn, and numbers that
 * go on behind its. A decision that was under way goes on too.
 */
export function resume<T>(state: Snapshot, body: () => T): T {
  if (state.format !== 1) throw new TypeError(`a snapshot of format ${String(state.format)}: this reads 1`);
  const restored = newRun(state.run, state.conversation);
  restored.turns = state.turns;
  restored.decisions = Math.max(state.decisions, state.decision ?? 0);
  restored.stateVersion = state.stateVersion;
  restored.explicit = state.decision !== null;
  return enter({ ...blank, run: restored, identity: identityOf(restored, state.turn, state.decision) }, body);
}

/** Runs `body` under the identity that another process handed over, where no instrumentation has done so. */
export function inherit<T>(identity: Identity | null, body: () => T): T {
  const frame = inheritedFrame(identity);
  return frame === null ? body() : enter(frame, body);
}

interface OwnFrame extends Frame {
  readonly run: RunState;
}

const blank = { baseVersion: null, causes: [], causeKey: null } as const;
const nobody: Identity = { run: null, conversation: null, turn: null, decision: null, decisionId: null };

function newRun(id: string, conversation: string | null | undefined): RunState {
  return {
    id,
    conversation: conversation ?? null,
    turns: 0,
    decisions: 0,
    stateVersion: null,
    explicit: false,
    saved: Promise.resolve(),
  };
}

/** A turn or decision that was opened outside of any run is of a run of its own. */
function ownFrame(): OwnFrame {
  const frame = currentFrame();
  if (frame?.run != null) return frame as OwnFrame;
  const state = newRun(randomUUID(), frame?.identity.conversation);
  return { ...blank, run: state, identity: identityOf(state, frame?.identity.turn ?? null, null) };
}

function inheritedFrame(identity: Identity | null): Frame | null {
  return identity === null ? null : { ...blank, run: null, identity };
}

function identityOf(state: RunState, turnId: string | null, seq: number | null): Identity {
  return {
    run: state.id,
    conversation: state.conversation,
    turn: turnId,
    decision: seq,
    decisionId: seq === null ? null : `${state.id}/d${seq}`,
  };
}

function stateOf({ run: state, identity }: OwnFrame): Snapshot {
  return {
    format: 1,
    run: state.id,
    conversation: state.conversation,
    turn: identity.turn,
    turns: state.turns,
    decision: identity.decision,
    decisions: state.decisions,
    stateVersion: state.stateVersion,
  };
}

function enter<T>(frame: Frame, body: () => T): T {
  return storage.run(frame, () => context.with(withIdentity(context.active(), frame.identity), body));
}

function referenceOf(cause: Cause): string {
  return typeof cause === "string" ? cause : cause.spanContext().spanId;
}
