/**
 * What is right for each field report: trouble that users of tracing systems ran into, cut down to a few spans.
 * `data/manifest.json` says what is sent, `<id>.contract.yaml` what is asked of it, and this what must come out.
 */
import type { Flaw } from "../../src/model/event.ts";
import type { StaleReason } from "../../src/model/output.ts";
import type { Code } from "../../src/model/verdict.ts";

export interface RuleOutcome {
  readonly violations?: number;
  readonly inconclusive?: number;
  /** Code of all its violations and inconclusive verdicts. */
  readonly code?: Code;
  /** Span whose event the violation is about: the beginning of its id. */
  readonly anchor?: string;
}

export interface FieldReport {
  readonly title: string;
  /** Tool calls that were made, by tool. */
  readonly calls: Readonly<Record<string, number>>;
  /** How many of them did not succeed, those that wait for a person not among them. */
  readonly failed?: number;
  readonly rules?: Readonly<Record<string, RuleOutcome>>;
  readonly flaws?: Partial<Record<Flaw, number>>;
  /** Stale results by reason; none where it is left out. */
  readonly stale?: Readonly<Partial<Record<StaleReason, number>>>;
  /** Callbacks that fit no request, by reason and disposition; not looked at where it is left out. */
  readonly callbacks?: Readonly<Record<string, number>>;
  /** Spans that were sent again, as they were. */
  readonly duplicates?: number;
  /** Spans that the answer says were refused. */
  readonly rejected?: number;
  /** What the report asks for beyond this and has to wait, with what it waits for. */
  readonly waits?: string;
}

const held: RuleOutcome = {};

export const fieldReports: Readonly<Record<string, FieldReport>> = {
  A01: {
    title: "two calls of one batch overlap",
    calls: { run_query: 1, analyze_file: 1 },
    rules: { "A01-r1": { violations: 1, code: "overlap", anchor: "5364d815" } },
  },
  A03: {
    title: "a resumed node runs a completed effect again under the same call id",
    calls: { ask_user: 2, send_email: 2 },
    rules: { "A03-r1": { violations: 1, code: "count_exceeded" } },
    waits: "at_most_once of the effect ledger; here as a count per idempotency key",
  },
  A05: {
    title: "one approval, two executions of what it approved",
    calls: { human_approval: 1, transfer_funds: 2 },
    rules: { "A05-r1": { violations: 1, code: "blocked", anchor: "9f16b74d" } },
  },
  A07: {
    title: "a span carries the id of a call that the model asked of another tool",
    calls: { read_file: 1, apply_patch: 1 },
    rules: { "A07-r1": { violations: 1, anchor: "591c" } },
    flaws: { name_disagrees: 1 },
    callbacks: { "name_disagrees quarantined": 1, "name_disagrees expired": 1, "missing expired": 1 },
  },
  A10: {
    title: "an approval is overtaken by a new state version",
    calls: { human_approval: 1, reload_policy: 1, deploy_service: 1 },
    rules: { "A10-r1": { violations: 1, code: "wrong_entity", anchor: "85d0" } },
    stale: { version: 1 },
  },
  A11: {
    title: "a guardrail trips after the call inside it was made",
    calls: { send_payment: 1 },
    rules: { "A11-r1": { violations: 1, anchor: "13ce" } },
  },
  A12: {
    title: "two parallel calls share one call id",
    calls: { update_state: 2 },
    rules: { "A12-r1": held },
    flaws: { call_id_collision: 1 },
    waits: "at_most_once of the effect ledger; here as a count per argument",
  },
  A14: {
    title: "calls without ids finish in reverse order",
    calls: { get_balance: 2, close_account: 1 },
    rules: { "A14-r1": { violations: 1, anchor: "1b5c" } },
  },
  A16: {
    title: "a denied step is tried three times, then done in order",
    calls: { run_implementer: 4, run_planner: 1 },
    failed: 3,
    rules: { "A16-effect": held, "A16-attempt": { violations: 3 } },
  },
  A18: {
    title: "two spans of one trace name different sessions",
    calls: { run_tests: 1, run_validator: 1 },
    rules: { "A18-trace": held, "A18-session": { violations: 1, code: "witness_missing" } },
    flaws: { conversation_disagrees: 1 },
  },
  A19: {
    title: "a read in one session, an edit of the same path in another",
    calls: { read_file: 1, edit_file: 2 },
    rules: { "A19-r1": { violations: 1, code: "witness_missing", anchor: "42ca" } },
  },
  A21: {
    title: "a check that answered no, then one that answered yes",
    calls: { check_policy: 2, send_message: 2 },
    rules: { "A21-r1": { violations: 1, anchor: "3a69" } },
  },
  A23: {
    title: "a timed-out create, repeated blindly and after a look-up",
    calls: { create_job: 4, find_job: 1 },
    failed: 2,
    rules: {
      "A23-r1": { violations: 1, code: "forbidden_after" },
      "jobs.lookup_before_retry": { violations: 1, code: "blind_retry" },
    },
  },
  A24: {
    title: "an older decision's read finishes after a newer decision",
    calls: { lookup_account: 2, show_account: 1 },
    // One result, whichever way one looks at it: the later decision also shows the newer state.
    rules: { "A24-r1": { violations: 1, code: "count_exceeded" } },
    stale: { superseded: 1 },
  },
  T01: {
    title: "one call traced by an outer and an inner instrumentation",
    calls: { charge_card: 1 },
    rules: { "T01-r1": held },
  },
  T02: {
    title: "one run shattered over three traces",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "T02-r1": held },
  },
  T04: {
    title: "a tool span starts 1.5 ms before its parent",
    calls: { memory_recall: 1, write_note: 1 },
    rules: { "T04-r1": held },
  },
  T06: {
    title: "a pause recorded as an error, resumed an hour later in another trace",
    calls: { human_approval: 2, send_customer_email: 1 },
    // The pause waits; it has not failed.
    rules: { "T06-r1": held },
  },
  T07: {
    title: "a result that holds the word error",
    calls: { run_command: 1, publish: 1 },
    rules: { "T07-r1": held },
  },
  T09: {
    title: "an error type without an error status",
    calls: { check_quota: 1, start_job: 1 },
    failed: 1,
    rules: { "T09-r1": { violations: 1, code: "wrong_status", anchor: "a4f8" } },
  },
  T10: {
    title: "an end six seconds before its start",
    calls: { read_ticket: 1, update_ticket: 1 },
    rules: { "T10-r1": { inconclusive: 1, code: "invalid_interval" } },
    flaws: { end_before_start: 1 },
  },
  T14: {
    title: "tool spans without content",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "T14-r1": { inconclusive: 1, code: "not_captured" } },
  },
  T15: {
    title: "the same call in five dialects",
    calls: { get_ticket: 5, update_ticket: 5 },
    rules: { "T15-r1": held },
  },
  T17: {
    title: "a parent that never arrives",
    calls: { build_query: 1, run_query: 1 },
    rules: { "T17-r1": held },
    // One parent that is missing, whoever names it.
    flaws: { unresolved_parent: 1 },
  },
  T19: {
    title: "a sub-agent with its own session inside its parent's trace",
    calls: { check_requester: 1, task: 1, get_customer_plan: 1 },
    rules: { "T19-session": { violations: 1, code: "witness_missing" }, "T19-trace": held },
  },
  T21: {
    title: "one bad span among good ones",
    calls: { read_record: 1, write_record: 1 },
    rules: { "T21-r1": held },
    rejected: 1,
  },
  T25: {
    title: "an aggregate span over two tool spans",
    calls: { get_a: 1, get_b: 1 },
  },
  P01: { title: "ids in base64", calls: {}, rejected: 2 },
  P03: { title: "the three status codes", calls: { step_one: 1, step_two: 1, step_three: 1 }, failed: 1 },
  P05: { title: "JSON under another media type, or none", calls: {}, rules: { "P05-r1": held } },
  P07: {
    title: "one body delivered three times",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "P07-r1": held },
    duplicates: 4,
  },
  P08: {
    title: "an overlap of 50 ns",
    calls: { read_balance: 1, write_balance: 1 },
    rules: { "P08-r1": { violations: 1, code: "overlap", anchor: "42ba" } },
  },
  P10: {
    title: "milliseconds in fields of nanoseconds",
    calls: { read_ticket: 2, update_ticket: 1 },
    rules: { "P10-r1": { inconclusive: 1, code: "time_out_of_range" } },
    flaws: { time_out_of_range: 2 },
  },
  P12: {
    title: "null in every place a JSON writer may put it",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "P12-r1": held },
  },
  P15: { title: "protobuf with one over-long id", calls: { good_tool: 1 }, rejected: 1 },
  P17: {
    title: "a body that inflates to 200 MiB",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "P17-r1": held },
  },
  P19: {
    title: "a plain good body",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "P19-r1": held },
  },
  P21: {
    title: "two spellings of no parent",
    calls: { check_requester: 1, get_customer_plan: 1 },
    rules: { "P21-r1": held },
    flaws: { unresolved_parent: 0 },
  },
  P23: { title: "a body cut off in the middle", calls: {} },
};
