import { expose } from "../../src/telemetry/exposition.ts";
import {
  createTelemetry,
  type LiveNumbers,
  type RuleSeries,
  type Telemetry,
  type TelemetryOptions,
} from "../../src/telemetry/registry.ts";
import { Exposition } from "../support/exposition.ts";

export const zeros: LiveNumbers = {
  runsOpen: 0,
  runsReopenable: 0,
  runsForgotten: 0,
  facts: 0,
  stateBytes: 0,
  waiting: 0,
  inFlightBytes: 0,
};

export function telemetry(options: Partial<TelemetryOptions> = {}): Telemetry {
  return createTelemetry({
    labelValues: 200,
    version: "1.2.3",
    journalKind: "memory",
    mappings: ["approvals"],
    processMetrics: false,
    live: () => zeros,
    ...options,
  });
}

export async function scrape({ registry }: Telemetry) {
  const { body, contentType } = await expose(registry);
  return { text: body, contentType, metrics: new Exposition(body) };
}

/** A critical rule `access/auth`, judged by run. */
export function rule(overrides: Partial<RuleSeries> = {}): RuleSeries {
  return {
    contract: "access",
    rule: "auth",
    severity: "critical",
    category: "safety_gate",
    scope: "run",
    revision: "abc",
    owner: "support",
    stage: "enforced",
    runbook: "https://runbooks.example/a",
    rejects: false,
    ...overrides,
  };
}
