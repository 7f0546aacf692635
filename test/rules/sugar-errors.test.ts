/** What can be wrong in kinds of rules that stand for more than one kernel says. */
import { errorTable, gate, rule } from "./error-table.ts";

const phases = (more: string): string =>
  rule(`{kind: phases, initial: intake, order: {intake: [work]}, ${more}}`);

errorTable("evidence and approvals", [
  {
    name: "an approval that covers nothing",
    file: rule("«{kind: approval, of: pay, from: approve, expires: until, consume: once}»"),
    codes: ["missing-key"],
    says: /covers/,
  },
  {
    name: "a cover that is no path",
    file: rule("{kind: approval, of: pay, from: approve, covers: [«amout.x»]}"),
    codes: ["unknown-field"],
  },
  { name: "evidence of nothing", file: rule("«{kind: evidence, for: pay}»"), codes: ["missing-key"] },
  {
    name: "a version that nobody shows",
    file: rule("{kind: evidence, for: pay, from: ok, current: {v: «load_catalog»}}"),
    codes: ["bad-path"],
    says: /load_catalog\.result/,
  },
  { name: "two ages", file: gate("within: 5m, «fresh»: 5m"), codes: ["set-twice"] },
  { name: "two expiries", file: gate("valid_until: w.result.until, «expires»: until"), codes: ["set-twice"] },
  {
    name: "what only evidence can be",
    file: rule("{kind: response, trigger: a, expect: b, «expires»: until, «covers»: [x], unit: s}"),
    codes: ["unknown-key", "unknown-key"],
  },
  { name: "a unit of nothing", file: gate("«unit»: s"), codes: ["no-meaning"] },
  {
    name: "further apart than near",
    file: gate("within: 5m, «no_sooner»: 6m"),
    codes: ["impossible-bounds"],
  },
  {
    name: "a least distance where there is no order",
    file: rule("{kind: co_existence, first: a, second: b, «no_sooner»: 1m}"),
    codes: ["no-meaning"],
  },
  {
    name: "a resource that nothing names",
    file: rule("«{kind: read_before_write, read: a, write: b}»"),
    codes: ["missing-key"],
    says: /trait resource/,
  },
  {
    name: "content of no id",
    file: rule("«{kind: immutable, of: a, content: [x]}»"),
    codes: ["missing-key"],
  },
  { name: "an owner who is nobody", file: rule("«{kind: owner, of: a}»"), codes: ["missing-key"] },
]);

errorTable("bounds", [
  {
    name: "a rate without its time",
    file: rule("«{kind: rate, of: a, max: 3}»"),
    codes: ["missing-key"],
    says: /window/,
  },
  { name: "a ceiling without a number", file: rule("«{kind: max_calls, of: a}»"), codes: ["missing-key"] },
  { name: "nothing bounded", file: rule("«{kind: retry_bound, of: a}»"), codes: ["missing-key"] },
  {
    name: "gaps that grow without end",
    file: rule("«{kind: retry_bound, of: a, min_gap: 1s, factor: 2}»"),
    codes: ["missing-key"],
    says: /max/,
  },
  {
    name: "a factor of nothing",
    file: rule("«{kind: retry_bound, of: a, max: 3, factor: 2}»"),
    codes: ["missing-key"],
    says: /min_gap/,
  },
  {
    name: "a factor that shrinks",
    file: rule("{kind: retry_bound, of: a, max: 3, min_gap: 1s, factor: «0.5»}"),
    codes: ["wrong-type"],
  },
  {
    name: "too long a row",
    file: rule("{kind: max_in_a_row, of: a, «max»: 5000}"),
    codes: ["impossible-bounds"],
  },
  { name: "nobody at a time", file: rule("{kind: mutex, of: a, limit: «0»}"), codes: ["wrong-type"] },
]);

errorTable("phases", [
  { name: "no order", file: rule("«{kind: phases, initial: a, allow: {a: [x]}}»"), codes: ["missing-key"] },
  {
    name: "a phase that nothing leads to",
    file: phases("allow: {«wrk»: [a]}"),
    codes: ["unknown-state"],
    says: /"work"/,
  },
  { name: "an entry to no phase", file: phases("enter: {«wrk»: {after: a}}"), codes: ["unknown-state"] },
  { name: "an entry by nothing", file: phases("enter: {work: «{}»}"), codes: ["missing-key"] },
  { name: "a trait that no tool has", file: phases("allow: {work: [«sensitive»]}"), codes: ["empty-list"] },
  {
    name: "a beginning that leads nowhere",
    file: rule("{kind: phases, initial: «wrk», order: {work: [done]}}"),
    codes: ["unknown-state"],
  },
]);
