import type { ClockPolicy } from "./order.ts";
import { type DurationNano, hours, milliseconds, minutes, seconds } from "./time.ts";

/** Turns any span, span event or log record into an event, by attribute. Source: `processors.toolorder.mappings`. */
export interface Mapping {
  /** For messages: where it stands in the configuration. */
  readonly name: string;
  readonly when: {
    /** Span (or, with `on: event`, span event) name: exact, glob or `/re2/`. */
    readonly span?: string;
    /** With `on: log`: the record's event name, written in the same way. */
    readonly event?: string;
    /** With `on: log`: the record's body, where that is text. */
    readonly body?: string;
    readonly scope?: string;
    /** Attribute key → value that it must have; `true` as value text "*" means present. */
    readonly attributes?: ReadonlyMap<string, string>;
  };
  /** `beside`: the span stays what it is, and the event stands beside it. */
  readonly on: "span" | "event" | "beside" | "log";
  /** With `beside`: when it happened, seen from the span. Left out: somewhere within it. */
  readonly at?: "start" | "end" | "within";
  /** Built-in or new kind of the event it makes. */
  readonly kind: string;
  /** Event field (`name`, `call_id`, `args`, `result`, `status`, `conversation`, `seq`, …) → attribute key it comes from; of a log record also `body`, or `body.` and a path into it. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Settings of the core. Everything here is part of the first journal entry, so that a replay uses the same. */
export interface CoreSettings {
  /** How long after an event came its past may still arrive. Twice the SDKs' 5 s flush; also the floor of alert latency. */
  readonly decisionWait: DurationNano;
  readonly idleTimeout: DurationNano;
  readonly maxAge: DurationNano;
  readonly lateWindow: DurationNano;
  readonly conversationIdle: DurationNano;
  /** How long a key of a scope that never closes is remembered after its last event. */
  readonly keyTtl: DurationNano;
  /**
   * What a later decision must ask to supersede a call, where the tool's own `slot` does not say: the same tool
   * (the default), or any tool of the same agent.
   */
  readonly slot?: "tool" | "any";
  /** How long `toolorder_alert_active` stays 1 after a verdict became final. */
  readonly alertHold: DurationNano;
  readonly clock: ClockPolicy;
  /** `trace_id`, or a chain of attribute keys tried in order. */
  readonly runKey: readonly string[];
  readonly mappings: readonly Mapping[];
  /**
   * Event field, or kind of signal → attributes that state it, first found wins, instead of the built-in ones
   * (docs/attributes.md).
   */
  readonly identity: ReadonlyMap<string, readonly string[]>;
  readonly limits: {
    readonly openRuns: number;
    readonly eventsPerRun: number;
    readonly stateBytes: number;
    /** Distinct values of a label that comes from traffic; further ones are `other`. */
    readonly labelValues: number;
  };
  /**
   * `serve` sees any traffic, `check` and `test` one known workflow: decides what a missing `after` means
   * (docs/semantics.md 8).
   */
  readonly missingAfter: "vacuous" | "violated";
  /**
   * Runs that were under way when the first entry was made have a beginning that nobody saw: what they lack may
   * have come before. True for a live service, false for recorded input, which is whole.
   */
  readonly joinsLate: boolean;
  /** Every contract takes part in every run (`toolorder test`). */
  readonly everyContractTakesPart: boolean;
  readonly language: LanguageSettings;
}

/** How contracts are read. */
export interface LanguageSettings {
  /** Case files: `within: 60000` is milliseconds. Elsewhere a length needs a unit. */
  readonly plainNumbersAreMilliseconds: boolean;
  /** Kinds and fields that mappings, or the events of a case file, declare. */
  readonly declaredKinds: readonly string[];
  readonly declaredFields: readonly string[];
  /** Keep all arguments, results and attributes (`check`, `test`), not only the paths that rules name. */
  readonly keepEverything: boolean;
}

export const defaultSettings: CoreSettings = {
  decisionWait: seconds(10),
  idleTimeout: minutes(30),
  maxAge: hours(24),
  lateWindow: hours(1),
  conversationIdle: minutes(30),
  keyTtl: hours(24),
  alertHold: minutes(15),
  clock: {
    skew: milliseconds(50),
    tie: "before",
    resolution: null,
    inferOffset: true,
    evidence: "any",
    assumeClock: true,
  },
  runKey: ["trace_id"],
  mappings: [],
  identity: new Map(),
  slot: "tool",
  limits: { openRuns: 100_000, eventsPerRun: 10_000, stateBytes: 512 * 1024 * 1024, labelValues: 200 },
  missingAfter: "vacuous",
  joinsLate: false,
  everyContractTakesPart: false,
  language: {
    plainNumbersAreMilliseconds: false,
    declaredKinds: [],
    declaredFields: [],
    keepEverything: false,
  },
};
