import * as z from "zod";
import { type CoreSettings, defaultSettings, type Mapping } from "../model/settings.ts";
import { milliseconds } from "../model/time.ts";
import { identity } from "./identity.ts";
import { count, cure, duration, size } from "./kinds.ts";

/** Source: `processors.toolorder`. The settings' meanings, defaults and reasons stand in `model/settings`. */
export interface ToolorderConfig {
  /** Files, folders or globs, relative to the configuration file. */
  readonly contracts: readonly string[];
  readonly core: CoreSettings;
}

/** A folder beside the configuration, as the Collector's users keep their files. */
export const defaultContracts: readonly string[] = ["./contracts"];

const oneOf = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words, { error: cure("this word is not known here", `Write ${words.join(" or ")}.`) });

/** A skew of `null` or `none`: the clocks of two hosts prove nothing to each other. */
const skew = z
  .union(
    [
      z
        .number()
        .nonnegative({ error: cure("the skew is below 0", "Write a number of at least 0, or none.") }),
      z.literal("none"),
      z.null(),
    ],
    {
      error: cure("a number of milliseconds is expected", "Write a number of at least 0, or none."),
    },
  )
  .transform((value) => (typeof value === "number" ? milliseconds(value) : null));

/** `auto`: a stamp's own width shows its unit. */
const resolution = z.union([z.literal("auto").transform(() => null), z.null(), duration()]);

const clock = z.strictObject({
  skew_ms: skew.optional(),
  tie: oneOf("before", "unknown").optional(),
  resolution: resolution.optional(),
  infer_offset: z.boolean().optional(),
  evidence: oneOf("any", "causal").optional(),
  assume_clock: z.boolean().optional(),
});

const limits = z.strictObject({
  open_runs: count().optional(),
  events_per_run: count().optional(),
  state: size().optional(),
  label_values: count().optional(),
});

const text = z.string().min(1, { error: cure("the text is empty", "Write a name, or remove the key.") });

const mapping = z
  .strictObject({
    name: text.optional(),
    when: z
      .strictObject({
        span: text.optional(),
        event: text.optional(),
        body: text.optional(),
        scope: text.optional(),
        attributes: z.record(text, z.union([z.string(), z.number(), z.boolean()])).optional(),
      })
      .refine((when) => Object.keys(when).length > 0, {
        error: cure(
          "`when` names nothing, so it would match every span",
          "Name a span, a scope or attributes; of a log record also its event or body.",
        ),
      }),
    on: oneOf("span", "event", "beside", "log").optional(),
    at: oneOf("start", "end", "within").optional(),
    kind: text,
    fields: z.record(text, text).optional(),
  })
  .superRefine(({ on, when }, context) => {
    const alien = on === "log" ? (["span"] as const) : (["event", "body"] as const);
    for (const key of alien) {
      if (when[key] === undefined) continue;
      context.addIssue({
        code: "custom",
        path: ["when", key],
        message:
          on === "log"
            ? cure("a log record is no span", "Name it by `event`, `body`, `scope` or `attributes`.")
            : cure(`only log records are told by \`${key}\``, "Write `on: log`, or name the span by `span`."),
      });
    }
  })
  .superRefine(({ on, at }, context) => {
    if (at === undefined || on === "beside") return;
    context.addIssue({
      code: "custom",
      path: ["at"],
      message: cure(
        "only what stands beside a span needs to be told when it happened",
        "Remove `at`: a span has its own times, and a span event its own. Or write `on: beside`.",
      ),
    });
  })
  .transform(({ name, when, on, at, kind, fields }): Mapping => {
    const attributes = Object.entries(when.attributes ?? {});
    return {
      name: name ?? "",
      when: {
        ...(when.span !== undefined && { span: when.span }),
        ...(when.event !== undefined && { event: when.event }),
        ...(when.body !== undefined && { body: when.body }),
        ...(when.scope !== undefined && { scope: when.scope }),
        ...(attributes.length > 0 && {
          attributes: new Map(attributes.map(([key, value]) => [key, String(value)])),
        }),
      },
      on: on ?? "span",
      ...(at !== undefined && { at }),
      kind,
      fields: new Map(Object.entries(fields ?? {})),
    };
  });

const runKey = z
  .union([text, z.array(text).min(1)], {
    error: cure("a run key is expected", "Write trace_id, or a list of attribute keys to try in order."),
  })
  .transform((value) => (typeof value === "string" ? [value] : value));

export const toolorder = z
  .strictObject({
    contracts: z.union([text.transform((one) => [one]), z.array(text)]).optional(),
    mappings: z.array(mapping).optional(),
    run_key: runKey.optional(),
    decision_wait: duration().optional(),
    idle_timeout: duration().optional(),
    max_age: duration().optional(),
    late_window: duration({ zero: true }).optional(),
    conversation_idle: duration().optional(),
    key_ttl: duration().optional(),
    slot: oneOf("tool", "any").optional(),
    alert_hold: duration().optional(),
    clock: clock.optional(),
    limits: limits.optional(),
    identity: identity.optional(),
  })
  .nullable()
  .transform((given): ToolorderConfig => {
    const base = defaultSettings;
    // Named by place where the user gave no name, so that messages can tell them apart.
    const mappings = (given?.mappings ?? []).map((one, index) =>
      one.name === "" ? { ...one, name: `mappings[${index}]` } : one,
    );
    return {
      contracts: given?.contracts ?? defaultContracts,
      core: {
        ...base,
        decisionWait: given?.decision_wait ?? base.decisionWait,
        idleTimeout: given?.idle_timeout ?? base.idleTimeout,
        maxAge: given?.max_age ?? base.maxAge,
        lateWindow: given?.late_window ?? base.lateWindow,
        conversationIdle: given?.conversation_idle ?? base.conversationIdle,
        keyTtl: given?.key_ttl ?? base.keyTtl,
        slot: given?.slot ?? "tool",
        alertHold: given?.alert_hold ?? base.alertHold,
        runKey: given?.run_key ?? base.runKey,
        mappings,
        identity: given?.identity ?? base.identity,
        language: {
          ...base.language,
          declaredKinds: [...new Set(mappings.map(({ kind }) => kind))],
          declaredFields: [...new Set(mappings.flatMap(({ fields }) => [...fields.keys()]))],
        },
        clock: {
          skew: given?.clock?.skew_ms === undefined ? base.clock.skew : given.clock.skew_ms,
          tie: given?.clock?.tie ?? base.clock.tie,
          resolution: given?.clock?.resolution ?? base.clock.resolution,
          inferOffset: given?.clock?.infer_offset ?? base.clock.inferOffset,
          evidence: given?.clock?.evidence ?? base.clock.evidence,
          assumeClock: given?.clock?.assume_clock ?? base.clock.assumeClock,
        },
        limits: {
          openRuns: given?.limits?.open_runs ?? base.limits.openRuns,
          eventsPerRun: given?.limits?.events_per_run ?? base.limits.eventsPerRun,
          stateBytes: given?.limits?.state ?? base.limits.stateBytes,
          labelValues: given?.limits?.label_values ?? base.limits.labelValues,
        },
      },
    };
  });
