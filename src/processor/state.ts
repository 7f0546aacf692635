import type { CoreSettings } from "../model/settings.ts";
import { type DurationNano, type UnixNano, unixNano } from "../model/time.ts";
import type { Commuting } from "../rules/commuting.ts";
import type { Contract, RuleSet } from "../rules/rule.ts";
import { type Alerts, createAlerts } from "./alert.ts";
import { createGroupViews, type GroupViews } from "./group-view.ts";
import { createOpenEffects, type OpenEffects } from "./open-effects.ts";
import type { TakesPart } from "./participation.ts";
import { createLedger, type Ledger } from "./publish.ts";
import type { IndexedRule, RuleIndex } from "./rule-index.ts";
import type { MatchCounter } from "./rule-matches.ts";
import { createDeadlineQueue, type DeadlineQueue } from "./run/deadline-queue.ts";
import { createRunTable, type RunTable } from "./run/run-table.ts";
import { createTombstones, type Tombstones } from "./run/tombstones.ts";
import type { DeafInterval } from "./run/waits.ts";
import { createWideStore, type WideStore } from "./wide.ts";

/** Everything `step` knows. Opaque to everyone else; mutated by it. */
export interface State {
  /** `at` of the entry being stepped; never falls. */
  now: UnixNano;
  loaded: Loaded | null;
  deaf: readonly DeafInterval[];
  watermark: UnixNano | null;
  readonly table: RunTable;
  readonly deadlines: DeadlineQueue;
  readonly tombstones: Tombstones;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly wide: WideStore;
  readonly views: GroupViews;
  /** What effect ledgers know no end of. */
  readonly effects: OpenEffects;
  /** Recorded input has ended: scopes that never close are closed by that alone. */
  inputEnded: boolean;
  /** Conversations whose close was published, and those of which a run is forgotten, by when. */
  readonly conversationsClosed: Map<string, UnixNano>;
  readonly conversationsCut: Map<string, UnixNano>;
}

/** A rule set with what is derived from it once. */
export interface Loaded {
  readonly set: RuleSet;
  readonly settings: CoreSettings;
  readonly index: RuleIndex;
  readonly matches: MatchCounter;
  /** Rules whose scope is wider than a conversation, in load order. */
  readonly wide: readonly IndexedRule[];
  readonly participation: ReadonlyMap<Contract, TakesPart>;
  /** The longest wait in force: the deployment's or a rule's own. */
  readonly longestWait: DurationNano;
  /** When this first set came into force, where runs may have begun before; null for recorded input. */
  readonly joinedAt: UnixNano | null;
  /** Every wait in force, each once. */
  readonly waits: readonly DurationNano[];
  readonly anyAtOnce: boolean;
  /** Some rule can be decided by the numbers of a sender, without waiting. */
  readonly anyCounted: boolean;
  /** Whether two calls may be merged in any order (`commutes:`). */
  readonly commutes: Commuting;
  /** Fields that detectors fill and a rule reads. */
  readonly detected: ReadonlySet<string>;
}

export function createState(): State {
  return {
    now: unixNano(0n),
    loaded: null,
    deaf: [],
    watermark: null,
    table: createRunTable(),
    deadlines: createDeadlineQueue(),
    tombstones: createTombstones(),
    ledger: createLedger(),
    alerts: createAlerts(),
    wide: createWideStore(),
    views: createGroupViews(),
    effects: createOpenEffects(),
    inputEnded: false,
    conversationsClosed: new Map(),
    conversationsCut: new Map(),
  };
}
