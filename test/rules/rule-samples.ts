/** One plain rule of each kind, in the words of its kind: what must load, be explained and fit the schema. */
import { ruleKinds } from "../../src/rules/sugar/kinds.ts";

const pair = "first: a, second: b";
const declare = /(?:response|precedence|succession|existence)$/;

const samples: Readonly<Record<string, string>> = {
  gate: "{kind: gate, require: {tool: a, status: success}, before: b, bind: [args.id], within: 5m, consume: once}",
  precedence: `{kind: precedence, ${pair}}`,
  forbid_before: "{kind: forbid_before, forbid: a, before: b}",
  not_precedence: `{kind: not_precedence, ${pair}}`,
  join: "{kind: join, all: [a, b], before: c}",
  ordering: "{kind: ordering, before: a, after: b}",
  conditional_ordering: "{kind: conditional_ordering, if: c, then: {before: a, after: b}}",
  conditional:
    "{kind: conditional, if: {kind: decision}, then: {kind: response, trigger: a, expect: b, within: 1m}}",
  response:
    "{kind: response, trigger: a, expect: b, unless_between: [{match: c, where: [b.args.id == a.args.id]}]}",
  forbid_after: "{kind: forbid_after, after: a, forbid: b, unless_between: [c]}",
  not_response: "{kind: not_response, after: a, forbid: b}",
  not_succession: "{kind: not_succession, after: a, forbid: b}",
  count: "{kind: count, of: a, min: 1, max: 3, distinct: result.id, bind: [args.user], window: 10m}",
  existence: "{kind: existence, of: a, n: 2}",
  absence: "{kind: absence, of: {tool: a, args: {amount: {gt: 10}}}}",
  exactly: "{kind: exactly, of: a}",
  metric_count: "{kind: metric_count, of: a}",
  metric_wait: "{kind: metric_wait, of: a}",
  init: "{kind: init, of: a}",
  end: "{kind: end, of: a}",
  choice: "{kind: choice, of: [a, b]}",
  exclusive_choice: "{kind: exclusive_choice, of: [a, b]}",
  machine:
    "{kind: machine, transitions: [[s, a, t], {from: t, on: b, to: u, when: [e.args.v == reg.v], needs: [args.id], owner: {service: x}, set: {v: e.result.v}}], final: [u], max_time: {t: 1m}, unlisted: violate}",
  sequence: "{kind: sequence, steps: [a, b], mode: exact}",
  link: "{kind: link, anchor: a, need: past, witness: b, valid_until: w.result.until, unit: s, at_least: 2}",
  evidence:
    "{kind: evidence, for: a, from: {tool: b, status: success}, same: [user_id], current: {version: load.result.version}}",
  read_before_write: "{kind: read_before_write, read: a, write: b, resource: args.id}",
  immutable: "{kind: immutable, of: a, identity: evidence_id, content: [plan_id]}",
  owner: "{kind: owner, of: a, by: {service: ledger}}",
  approval:
    "{kind: approval, of: a, from: {tool: b, status: success}, covers: [plan_id], consume: once, void_by: [resume]}",
  finish_all: "{kind: finish_all, all_of: a, before: b}",
  during: "{kind: during, inner: a, outer: b}",
  max_calls: "{kind: max_calls, of: a, max: 3}",
  rate: "{kind: rate, of: a, max: 3, window: 1m}",
  max_in_a_row: "{kind: max_in_a_row, of: a, max: 3}",
  retry_bound: "{kind: retry_bound, of: a, max: 3, deadline: 5m, min_gap: 1s, bind: [args.id]}",
  phases:
    "{kind: phases, initial: intake, order: {intake: [work]}, allow: {work: [a]}, enter: {work: {after: {tool: b, result: ok}}}}",
  apart: "{kind: apart, of: a, bind: [args.id]}",
  mutex: "{kind: mutex, of: a}",
  known_callback: "{kind: known_callback, callback: {kind: callback}, within: 1h}",
  correlation: "{kind: correlation}",
  identity: "{kind: identity, content: [content_hash, input_hash]}",
  replay: "{kind: replay}",
  once_admitted: "{kind: once_admitted, bind: [run, request_id]}",
  rejection_reason: "{kind: rejection_reason, of: {kind: reducer_rejected}, reason: rejection_reason}",
  no_stale_apply: "{kind: no_stale_apply, base: base_version, state: state_version}",
  no_superseded_apply: "{kind: no_superseded_apply, bind: [run, decision]}",
  cancelled_read: "{kind: cancelled_read}",
  cancelled_effect: "{kind: cancelled_effect, within: 1h}",
  cancel_sent: "{kind: cancel_sent, call: b, within: 5s}",
  cancel_settled: "{kind: cancel_settled, within: 1m}",
  current_at_effect: "{kind: current_at_effect, of: a, by: [decision, turn, run, resource, state]}",
  unknown_callback: "{kind: unknown_callback, of: {kind: callback}, reason: [unknown, duplicate]}",
  version_conflict: "{kind: version_conflict, of: a, reason: [forced, lost_update]}",
  stale_result: "{kind: stale_result, of: a, reason: [superseded, turn], bind: [args.id], max: 1}",
  stale_effect: "{kind: stale_effect}",
  stale_applied: "{kind: stale_applied, reason: version}",
  deps: "{kind: deps, of: a, parents: [parents, args.sources]}",
  admitted_only: "{kind: admitted_only, of: {kind: model_turn}, cites: told, by: [call_id]}",
  wait: "{kind: wait, after: a, before: b, max: 5s}",
  conditional_write:
    "{kind: conditional_write, read: a, write: b, resource: args.ticket, version: [{a: args.v, w: result.v}]}",
  reread_after_conflict:
    "{kind: reread_after_conflict, read: a, write: b, resource: args.ticket, replan: true}",
  single_writer: "{kind: single_writer, of: a, resource: args.ticket, field: args.field}",
  lease: "{kind: lease, for: a, acquire: b, renew: c, release: d, resource: args.ticket, max: 30s}",
};

/** Kind → rule, of every kind that this version judges; a pair of names where no sample says more. */
export const ruleSamples: ReadonlyMap<string, string> = new Map(
  [...new Set([...ruleKinds.keys(), "conditional_ordering", "conditional"])].sort().flatMap((kind) => {
    const own = samples[kind] ?? (declare.test(kind) ? `{kind: ${kind}, ${pair}}` : undefined);
    return own === undefined ? [] : [[kind, own] as const];
  }),
);
