/** The configuration as it will run, defaults filled in, in the grammar in which it is written. */
import { stringify } from "yaml";
import type { CoreSettings, Mapping } from "../model/settings.ts";
import { formatDuration } from "../model/time.ts";
import type { Config } from "./config.ts";
import { formatEndpoint, formatSize } from "./kinds.ts";
import type { Pipeline } from "./pipelines.ts";

/** Keys whose values are never printed. */
const secretKeys = new Set(["token", "password", "secret", "api_key", "authorization", "key_pem"]);

/** YAML text that `loadConfig` reads back to the same configuration; secrets are redacted. */
export function effectiveConfig(config: Config): string {
  return stringify(redacted(effectiveTree(config)), { lineWidth: 110 });
}

type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

export function effectiveTree(config: Config): Tree {
  const { http, toolorder, prometheus, journal, pipelines } = config;
  const { core } = toolorder;
  return {
    receivers: {
      otlp: {
        protocols: {
          http: {
            endpoint: formatEndpoint(http.endpoint),
            max_request_body_size: formatSize(http.maxRequestBodyBytes),
            max_in_flight_size: formatSize(http.maxInFlightBytes),
            traces_url_path: http.tracesUrlPath,
            logs_url_path: http.logsUrlPath,
            max_connections: http.maxConnections,
            read_header_timeout: formatDuration(http.readHeaderTimeout),
            read_timeout: formatDuration(http.readTimeout),
            idle_timeout: formatDuration(http.idleTimeout),
          },
        },
      },
    },
    processors: {
      toolorder: {
        contracts: toolorder.contracts,
        mappings: core.mappings.map(mappingTree),
        identity: identityTree(core.identity),
        run_key: core.runKey.length === 1 ? (core.runKey[0] ?? "trace_id") : core.runKey,
        decision_wait: formatDuration(core.decisionWait),
        idle_timeout: formatDuration(core.idleTimeout),
        max_age: formatDuration(core.maxAge),
        late_window: formatDuration(core.lateWindow),
        conversation_idle: formatDuration(core.conversationIdle),
        key_ttl: formatDuration(core.keyTtl),
        slot: core.slot ?? "tool",
        alert_hold: formatDuration(core.alertHold),
        clock: {
          skew_ms: core.clock.skew === null ? "none" : Number(core.clock.skew) / 1e6,
          tie: core.clock.tie,
          resolution: core.clock.resolution === null ? "auto" : formatDuration(core.clock.resolution),
          infer_offset: core.clock.inferOffset,
          evidence: core.clock.evidence,
          assume_clock: core.clock.assumeClock,
        },
        limits: {
          open_runs: core.limits.openRuns,
          events_per_run: core.limits.eventsPerRun,
          state: formatSize(core.limits.stateBytes),
          label_values: core.limits.labelValues,
        },
      },
    },
    exporters: {
      prometheus: { endpoint: formatEndpoint(prometheus.endpoint), allowed_hosts: prometheus.allowedHosts },
    },
    extensions: { journal: { mode: journal.mode, max_waiting: journal.maxWaiting } },
    service: {
      extensions: pipelines.extensions,
      pipelines: {
        traces: pipelineTree(pipelines.traces),
        ...(pipelines.logs !== null && { logs: pipelineTree(pipelines.logs) }),
      },
    },
  };
}

function identityTree(identity: CoreSettings["identity"]): Tree {
  return Object.fromEntries(
    [...identity].map(([field, keys]) => [field, keys.length === 1 ? (keys[0] ?? "") : keys]),
  );
}

function pipelineTree({ receivers, processors, exporters }: Pipeline): Tree {
  return { receivers, processors, exporters };
}

function mappingTree({ name, when, on, at, kind, fields }: Mapping): Tree {
  return {
    name,
    when: {
      ...(when.span !== undefined && { span: when.span }),
      ...(when.event !== undefined && { event: when.event }),
      ...(when.body !== undefined && { body: when.body }),
      ...(when.scope !== undefined && { scope: when.scope }),
      ...(when.attributes !== undefined && { attributes: Object.fromEntries(when.attributes) }),
    },
    on,
    ...(at !== undefined && { at }),
    kind,
    fields: Object.fromEntries(fields),
  };
}

function redacted(tree: Tree): Tree {
  if (Array.isArray(tree)) return (tree as readonly Tree[]).map(redacted);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      secretKeys.has(key) && typeof value === "string" ? "[redacted]" : redacted(value),
    ]),
  );
}
