import type { Event, Status } from "../../src/model/event.ts";
import { type UnixNano, unixNano } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import type { InstanceVerdict } from "../../src/model/verdict.ts";
import type { TimelineInput, TimelineLink, TimelineRule } from "../../src/timeline/view-model.ts";

export const ms = (count: number): UnixNano => unixNano(BigInt(count) * 1_000_000n);

export interface Written {
  readonly id: string;
  readonly name?: string;
  readonly kind?: string;
  readonly status?: Status;
  readonly start?: number;
  readonly end?: number | "open";
  readonly args?: Value;
  readonly result?: Value;
  readonly decidedBy?: string;
}

/** An event with only what a test says; without times, at its place in the list. */
export function event(written: Written, place = 0): Event {
  const { id, name, kind, status, start, end, args, result, decidedBy } = written;
  const from = start ?? place + 1;
  return {
    id,
    kind: kind ?? "tool_call",
    name: name ?? null,
    status: status ?? "success",
    start: status === "requested" ? "none" : { at: ms(from) },
    end: status === "requested" ? "none" : end === "open" ? "open" : { at: ms(end ?? from) },
    run: "r1",
    conversation: null,
    clock: "h1",
    clockAssumed: false,
    callId: null,
    args,
    result,
    attr: new Map(),
    fields: new Map(),
    hidden: new Map(),
    unsettled: new Set(),
    flaws: [],
    dialect: "plain",
    spans: [],
    parent: null,
    links: [],
    decidedBy: decidedBy ?? null,
    decisionIndex: 0,
    invocation: null,
    arrivedAt: ms(0),
  };
}

export function instance(parts: Partial<InstanceVerdict>): InstanceVerdict {
  return {
    anchor: null,
    key: "",
    verdict: "violated",
    final: true,
    code: null,
    witness: null,
    nearMisses: [],
    evidence: "clock",
    completeness: "input_end",
    reason: "",
    involved: [],
    ...parts,
  };
}

export const gate: TimelineLink = {
  anchor: "get_customer_plan",
  witness: "check_requester_authorization",
  need: "past",
  quant: "some",
  bind: [],
  witnessPaths: [],
  within: false,
  blockers: new Set(),
};

export function rule(parts: Partial<TimelineRule>): TimelineRule {
  return {
    contract: "customer-feature-access",
    id: "auth-gate",
    title: null,
    severity: "critical",
    action: "block",
    category: "safety_gate",
    expected: "check_requester_authorization before get_customer_plan",
    why: null,
    kinds: new Set(["tool_call"]),
    link: gate,
    ...parts,
  };
}

export function input(
  written: readonly Written[],
  verdict: Partial<InstanceVerdict>,
  parts: Partial<TimelineInput> = {},
): TimelineInput {
  return {
    events: written.map(event),
    instance: instance(verdict),
    rule: rule({}),
    tools: new Map([
      ["get_customer_plan", { note: "sensitive access", access: "sensitive", effect: "read" }],
    ]),
    timed: false,
    ...parts,
  };
}

/** Plan data read before the requester was checked. */
export const incident: readonly Written[] = [
  { id: "e1", name: "resolve_customer" },
  { id: "e2", name: "get_customer_plan" },
  { id: "e3", name: "check_requester_authorization" },
  { id: "e4", name: "retrieve_entitlement_policy" },
  { id: "e5", name: "check_feature_entitlement" },
  { id: "e6", kind: "final_answer" },
];
