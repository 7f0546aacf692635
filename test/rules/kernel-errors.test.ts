import { errorTable, gate, machine, pattern, rule } from "./error-table.ts";

errorTable("links", [
  {
    name: "a bind of no field",
    file: gate("bind: [«user_id»]"),
    codes: ["unknown-field"],
    says: /args\.user_id/,
  },
  {
    name: "a bind with a side",
    file: gate("bind: [«a.args.x»]"),
    codes: ["unknown-field"],
    says: /"args.x"/,
  },
  { name: "half a bind", file: gate("bind: [«{a: args.x}»]"), codes: ["missing-key"] },
  {
    name: "a comparison without operator",
    file: gate("where: [«w.seq a.seq»]"),
    codes: ["bad-comparison"],
  },
  { name: "assignment", file: gate("where: [«w.seq = a.seq»]"), codes: ["bad-comparison"], says: /==/ },
  { name: "a side that is not there", file: gate("where: [w.seq < «b.seq»]"), codes: ["bad-side"] },
  { name: "no side", file: gate("where: [«seq» < a.seq]"), codes: ["bad-side"] },
  { name: "two constants", file: gate("where: [«1 < 2»]"), codes: ["bad-comparison"] },
  { name: "comparison with null", file: gate("where: [w.seq == «null»]"), codes: ["bad-comparison"] },
  {
    name: "a comparison's unknown field",
    file: gate("where: [«w.sqe» < a.seq]"),
    codes: ["unknown-field"],
  },
  { name: "the pattern's own side", file: pattern("{tool: a, where: [«a.seq» > 1]}"), codes: ["bad-side"] },
  { name: "a unit of nothing", file: gate("«unit»: s"), codes: ["no-meaning"] },
  {
    name: "an expiry ahead",
    file: rule("{kind: response, trigger: a, expect: b, «valid_until»: w.result.x}"),
    codes: ["no-meaning"],
  },
  {
    name: "time without order",
    file: rule("{kind: responded_existence, first: a, second: b, «within»: 5s}"),
    codes: ["no-meaning"],
  },
  {
    name: "blockers without order",
    file: rule("{kind: apart, of: a, «unless_between»: [b]}"),
    codes: ["no-meaning"],
  },
  {
    name: "so many of nothing",
    file: rule("{kind: forbid_after, after: a, forbid: b, «at_least»: 2}"),
    codes: ["no-meaning"],
  },
  {
    name: "another side of what must not overlap",
    file: rule("{kind: link, anchor: a, need: apart, «witness»: b}"),
    codes: ["no-meaning"],
    says: /"witness" has no meaning here: events that must not overlap are all of one pattern/,
  },
  {
    name: "a quantifier of what must not overlap",
    file: rule("{kind: link, anchor: a, need: apart, «quant»: none}"),
    codes: ["no-meaning"],
  },
  {
    name: "so many apart",
    file: rule("{kind: apart, of: a, «at_least»: 2}"),
    codes: ["no-meaning"],
    says: /limit/,
  },
  {
    name: "a boundary of what must not overlap",
    file: rule("{kind: mutex, «of»: {tool: a, boundary: started_at}}"),
    codes: ["no-meaning"],
    says: /from their start to their end/,
  },
  {
    name: "the same in the kernel's words",
    file: rule("{kind: link, «anchor»: {tool: a, boundary: started_at}, need: apart}"),
    codes: ["no-meaning"],
  },
  {
    name: "a metric of what never closes",
    file: rule("{kind: metric_count, of: a, «scope»: all}"),
    codes: ["endless-scope"],
    says: /a metric, which is taken when its scope closes/,
  },
  { name: "at least none", file: gate("at_least: «0»"), codes: ["wrong-type"] },
  {
    name: "a kernel without direction",
    file: rule("«{kind: link, anchor: a, witness: b}»"),
    codes: ["missing-key"],
  },
  {
    name: "a blocker's unknown key",
    file: gate("unless_between: [{match: c, «wher»: []}]"),
    codes: ["unknown-key"],
  },
  { name: "an empty bind", file: gate("bind: «~»"), codes: ["wrong-type"] },
]);

errorTable("machines", [
  { name: "no transitions", file: rule("«{kind: machine}»"), codes: ["missing-key"] },
  { name: "none at all", file: rule("{kind: machine, «transitions»: []}"), codes: ["list-too-short"] },
  { name: "two parts", file: machine("[«[s, a]»]"), codes: ["bad-transition"] },
  { name: "a transition that is text", file: machine("[«s»]"), codes: ["bad-transition"] },
  {
    name: "two that are equal",
    file: machine("[[s, a, t], «[s, a, u]»]"),
    codes: ["ambiguous-transition"],
    says: /line 3/,
  },
  {
    name: "one that is part of the other",
    file: machine("[[s, a, t], «[s, {tool: a, result: ok}, u]»]"),
    codes: ["ambiguous-transition"],
  },
  {
    name: "everything and something",
    file: machine("[[s, '*', t], «[s, a, u]»]"),
    codes: ["ambiguous-transition"],
  },
  {
    name: "an initial state that is nowhere",
    file: machine("[[s, a, t]]", ", initial: «r»"),
    codes: ["unknown-state"],
  },
  {
    name: "a final state that is nowhere",
    file: machine("[[start, a, answered]]", ", final: [«anwered»]"),
    codes: ["unknown-state"],
    says: /Did you mean "answered"/,
  },
  {
    name: "a time for a state that is nowhere",
    file: machine("[[s, a, t]]", ", max_time: {«x»: 5m}"),
    codes: ["unknown-state"],
  },
  {
    name: "a register nobody sets",
    file: machine('[{from: s, on: a, to: t, when: ["e.args.x == «reg.x»"]}]'),
    codes: ["unknown-register"],
  },
  {
    name: "an unknown key of a transition",
    file: machine("[{from: s, on: a, to: t, «wen»: []}]"),
    codes: ["unknown-key"],
  },
  {
    name: "a sequence without steps",
    file: rule("{kind: sequence, «steps»: []}"),
    codes: ["list-too-short"],
  },
  {
    name: "a mode that is none",
    file: rule("{kind: sequence, steps: [a], mode: «loose»}"),
    codes: ["unknown-word"],
  },
]);
