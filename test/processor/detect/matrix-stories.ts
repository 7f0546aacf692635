/**
 * The reordering matrix: one story a detector, in which an older call is overtaken while it runs, and the ways in
 * which its delivery, its clock or its surroundings can be disturbed.
 */

/** A span as the agent sends it; times in seconds. */
export interface Told {
  readonly id: string;
  readonly name: string;
  readonly start: number;
  /** Null: it has not ended, and never will. */
  readonly end: number | null;
  readonly trace?: string;
  readonly host?: string;
  /** Kind of signal; left out, it is a tool call. */
  readonly signal?: string;
  readonly failed?: boolean;
  readonly args?: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** What is counted: `superseded`, `effect turn`, `applied superseded`, `conflict lost_update`, … → how often. */
export type Counts = Readonly<Record<string, number>>;

export interface Story {
  readonly older: Told;
  readonly newer: Told;
  readonly after: readonly Told[];
  /** The point of the older call that decides. */
  readonly until: "start" | "end";
  readonly counts: Counts;
  /** What versions, causes or signals tell alone: no clock can make that undecided. */
  readonly timeless?: Counts;
  /** What is counted where the older one is over before the newer one begins. */
  readonly inOrder?: Counts;
}

const lookup = (id: string, start: number, end: number, attributes: Told["attributes"]): Told => ({
  id,
  name: "lookup",
  start,
  end,
  ...(attributes === undefined ? {} : { attributes }),
});
const older = (attributes: Told["attributes"]): Told =>
  lookup("old", 0, 10, { "agent.decision.id": "d-old", ...attributes });
const show = (attributes: Told["attributes"]): Told => ({
  ...lookup("new", 4, 5, attributes),
  name: "show",
});
const draft = (...parents: readonly string[]): Told => ({
  id: "draft",
  name: "draft",
  start: 12,
  end: 13,
  attributes: { "agent.causal.parents": parents },
});

const signal = (name: string, kind: string, at: number, attributes: Told["attributes"]): Told => ({
  id: name,
  name,
  signal: kind,
  start: at,
  end: at,
  ...(attributes === undefined ? {} : { attributes }),
});
/** Of one request. */
const answers = { "agent.request_id": "r-1" };

/** A callback that comes last, and what is found of it whatever else happens. */
function callback(reason: string, newer: Told, after: readonly Told[]): Story {
  const counts = { [`callback ${reason}`]: 1 };
  return {
    older: signal("old", "callback", 10, answers),
    newer,
    after,
    until: "end",
    counts,
    inOrder: counts,
    timeless: counts,
  };
}

const write = (id: string, start: number, end: number, actor: string): Told => ({
  id,
  name: "update_ticket",
  start,
  end,
  attributes: {
    "agent.resource": "T",
    "agent.if_match": "revision-18",
    "agent.actor": actor,
    "agent.decision.id": `d-${id}`,
  },
});

/** Detector → its story. */
export const stories: Readonly<Record<string, Story>> = {
  superseded: {
    older: older({ "agent.decision.seq": 1 }),
    newer: lookup("new", 4, 5, { "agent.decision.seq": 2 }),
    after: [],
    until: "end",
    counts: { superseded: 1 },
  },
  turn: {
    older: older({ "agent.turn.id": 1 }),
    newer: show({ "agent.turn.id": 2 }),
    after: [],
    until: "end",
    counts: { turn: 1 },
  },
  run: {
    older: older({ "agent.run.id": "run-1" }),
    newer: { ...show({ "agent.run.id": "run-2" }), trace: "second" },
    after: [],
    until: "end",
    counts: { run: 1 },
  },
  version: {
    older: older({ "agent.base.version": 7 }),
    newer: show({ "agent.state.version": 8 }),
    after: [],
    until: "end",
    counts: { version: 1 },
  },
  cancelled: {
    older: older({}),
    newer: {
      id: "new",
      name: "stop",
      signal: "cancel_requested",
      start: 4,
      end: 4,
      attributes: { "agent.decision.id": "d-old" },
    },
    after: [],
    until: "end",
    counts: { cancelled: 1 },
  },
  "stale effect": {
    older: { ...older({ "agent.turn.id": 1 }), name: "send", start: 6 },
    newer: {
      id: "new",
      name: "user",
      signal: "user_turn",
      start: 4,
      end: 4,
      attributes: { "agent.turn.id": 2 },
    },
    after: [],
    until: "start",
    counts: { "effect turn": 1, turn: 1 },
  },
  "stale applied": {
    older: older({ "agent.decision.seq": 1 }),
    newer: lookup("new", 4, 5, { "agent.decision.seq": 2 }),
    after: [draft("old")],
    until: "end",
    counts: { superseded: 1, "applied superseded": 1, wait: 1 },
    inOrder: { wait: 1 },
  },
  "dependency wait": {
    older: older({}),
    newer: show({}),
    after: [draft("old", "new")],
    until: "end",
    counts: { wait: 1 },
    inOrder: { wait: 1 },
    timeless: { wait: 1 },
  },
  "version conflict": {
    older: write("old", 0, 10, "human"),
    newer: write("new", 4, 5, "agent"),
    after: [],
    until: "end",
    counts: { "conflict lost_update": 1, "conflict several_owners": 1 },
    inOrder: { "conflict lost_update": 1 },
    // That one update was lost, versions tell; that the two overlapped, only clocks.
    timeless: { "conflict lost_update": 1 },
  },
  "reducer rejection": {
    older: {
      id: "old",
      name: "reducer",
      signal: "reducer_rejected",
      start: 10,
      end: 10,
      attributes: { "agent.rejection_reason": "stale" },
    },
    newer: show({}),
    after: [],
    until: "end",
    counts: { "rejection stale": 1 },
    inOrder: { "rejection stale": 1 },
    timeless: { "rejection stale": 1 },
  },
  "unknown callback": callback("unknown", show({}), []),
  "duplicate callback": callback("duplicate", signal("new", "callback", 4, answers), [
    signal("asked", "request", 0, answers),
  ]),
};

export interface Disturbed {
  /** Requests, in the order in which they are sent; the service is restarted between the first and the others. */
  readonly requests: readonly (readonly Told[])[];
  readonly restart: boolean;
  readonly counts: Counts;
  /** The rule about it cannot tell. */
  readonly undecided: boolean;
}

type Disturb = (story: Story) => Disturbed;

const plain = ({ older: old, newer, after, counts }: Story): Disturbed => ({
  // Completions as they came: the newer one first.
  requests: [[newer], [old], after].filter((spans) => spans.length > 0),
  restart: false,
  counts,
  undecided: false,
});

/** One more reason; where something was built on the result, that was used too. A signal has no result. */
function withReason({ counts, older: { signal: kind } }: Story, reason: string): Counts {
  if (kind !== undefined) return counts;
  const used = counts.wait !== undefined;
  return { ...counts, [reason]: 1, ...(used ? { [`applied ${reason}`]: 1 } : {}) };
}

const cancel = (at: number): Told =>
  signal("cancel", "cancel_requested", at, { "agent.decision.id": "d-old" });
const endOf = ({ older: { end } }: Story): number => end ?? 0;

/** Disturbance → what becomes of a story. */
export const disturbances: Readonly<Record<string, Disturb>> = {
  "completed in order": (story) => {
    const early = { ...story.older, start: 0, end: 3 };
    return { ...plain({ ...story, older: early }), counts: story.inOrder ?? {} };
  },
  "completed in reverse": plain,
  "duplicated callbacks": (story) => {
    const { requests, ...rest } = plain(story);
    return { ...rest, requests: [...requests, ...requests.toReversed()] };
  },
  "missing callback": (story) => {
    const found = story.until === "start" ? { "effect turn": 1 } : {};
    // A signal has no end to lack: it is missing as a whole.
    if (story.older.signal !== undefined)
      return { ...plain(story), requests: [[story.newer], story.after], counts: {} };
    return { ...plain({ ...story, older: { ...story.older, end: null } }), counts: found };
  },
  "retry responses": (story) => {
    const { older: old } = story;
    const first = { ...old, id: "first", start: old.start, end: old.start + 0.5, failed: true };
    const second = { ...old, start: old.start + 1 };
    // Both attempts at an effect began stale, and a reducer rejects each; of a lookup only the second is late.
    const twice = story.until === "start" || old.signal !== undefined;
    const both = (key: string): boolean => twice && /turn|rejection|callback/.test(key);
    const counts = Object.entries(story.counts).map(([key, n]): [string, number] => [
      key,
      both(key) ? 2 * n : n,
    ]);
    // The second callback that nobody asked for is one that came twice, besides.
    if (story.counts["callback unknown"] !== undefined) counts.push(["callback duplicate", 1]);
    return {
      ...plain({ ...story, older: second, after: [first, ...story.after] }),
      counts: Object.fromEntries(counts) as Counts,
    };
  },
  "clock skew": (story) => {
    const at = (story.until === "start" ? story.older.start : endOf(story)) - 0.02;
    const newer = { ...story.newer, host: "other", start: at, end: at + 0.01 };
    const skewed = plain({ ...story, newer });
    if (story.timeless !== undefined) return { ...skewed, counts: story.timeless };
    const waits = story.counts.wait === undefined ? {} : { wait: 1 };
    // That it began stale is not known; that it ended so is, four seconds later.
    const known = story.until === "start" ? { turn: 1 } : {};
    return { ...skewed, counts: { ...waits, ...known }, undecided: true };
  },
  "cancelled before its end": (story) => ({
    ...plain({ ...story, after: [cancel(endOf(story) - 1), ...story.after] }),
    counts: withReason(story, "cancelled"),
  }),
  "cancelled after its end": (story) =>
    plain({ ...story, after: [cancel(endOf(story) + 1), ...story.after] }),
  "restart in between": (story) => ({ ...plain(story), restart: true }),
  "new user turn": (story) => {
    const turn = signal("later", "user_turn", endOf(story) - 2, { "agent.turn.id": 99 });
    return {
      ...plain({ ...story, after: [turn, ...story.after] }),
      counts: withReason(story, "turn"),
    };
  },
};
