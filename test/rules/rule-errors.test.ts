import { errorTable, gate, machine, rule } from "./error-table.ts";

errorTable("every rule", [
  { name: "no kind", file: rule("«{require: a, before: b}»"), codes: ["missing-key"] },
  {
    name: "a kind that does not exist",
    file: rule("{kind: «gaet», require: a, before: b}"),
    codes: ["unknown-rule-kind"],
    says: /Did you mean "gate"/,
  },
  {
    name: "another kind than its section",
    file: "contract: test\nordering:\n  - {kind: «gate», before: a, after: b}\n",
    codes: ["unknown-word"],
  },
  {
    name: "an unknown key",
    file: gate("«sevrity»: high"),
    codes: ["unknown-key"],
    says: /Did you mean "severity"/,
  },
  {
    name: "a key that is missing",
    file: rule("«{kind: gate, before: b}»"),
    codes: ["missing-key"],
    says: /needs the key "require"/,
  },
  { name: "two words for one key", file: gate("«first»: c"), codes: ["set-twice"] },
  {
    name: "an unknown severity",
    file: gate("severity: «hihg»"),
    codes: ["unknown-word"],
    says: /Did you mean "high"/,
  },
  { name: "an unknown category", file: gate("category: «safety»"), codes: ["unknown-word"] },
  {
    name: "an unknown code",
    file: gate("code: «blnd_retry»"),
    codes: ["unknown-word"],
    says: /Did you mean "blind_retry"/,
  },
  { name: "an unknown stage", file: gate("stage: «live»"), codes: ["unknown-word"] },
  { name: "an unknown class", file: gate("class: «wish»"), codes: ["unknown-word"] },
  { name: "on_unknown of no meaning", file: gate("on_unknown: «ignore»"), codes: ["unknown-word"] },
  { name: "text for a truth", file: gate('must_apply: «"true"»'), codes: ["wrong-type"] },
  {
    name: "missing_after where nothing is paired",
    file: gate("«missing_after»: violated"),
    codes: ["unknown-key"],
  },
  {
    name: "an unknown scope",
    file: gate("scope: «conversaton»"),
    codes: ["unknown-word"],
    says: /Did you mean "conversation"/,
  },
  { name: "a scope that has no end", file: gate("«scope»: all"), codes: ["endless-scope"], says: /within/ },
  { name: "an entity has none either", file: gate("«scope»: {key: user}"), codes: ["endless-scope"] },
  {
    name: "a machine over everything",
    file: machine("[[s, a, t]]", ", «scope»: all"),
    codes: ["endless-scope"],
  },
  { name: "a scope of no key", file: gate("scope: «{}»"), codes: ["missing-key"] },
  {
    name: "a scope of two words, both wrong",
    file: gate("scope: {key: «usr», «kee»: x}"),
    codes: ["unknown-field", "unknown-key"],
  },
  {
    name: "an entity that is no field",
    file: gate("within: 1m, scope: {key: «usr»}"),
    codes: ["unknown-field"],
  },
  { name: "a stretch of three", file: gate("scope: {between: «[c, d, e]»}"), codes: ["wrong-type"] },
  { name: "a stretch of one", file: gate("scope: {«between»: [c]}"), codes: ["list-too-short"] },
  { name: "a stretch said twice", file: gate("scope: {between: [c, d], «after»: e}"), codes: ["set-twice"] },
  { name: "a stretch of a key", file: gate("scope: {after: c, «key»: user}"), codes: ["unknown-key"] },
  {
    name: "a severity of no status",
    file: gate("id: x, severity_when: {«refusd»: low}"),
    codes: ["unknown-status"],
  },
  {
    name: "a severity that is none",
    file: gate("id: x, severity_when: {refused: «lo»}"),
    codes: ["unknown-word"],
  },
  {
    name: "severities without an id",
    file: rule("«{kind: gate, require: a, before: b, severity_when: {refused: low}}»"),
    codes: ["missing-key"],
  },
  {
    name: "severities of a whole run",
    file: rule("{kind: absence, of: a, «id»: x, severity_when: {refused: low}}"),
    codes: ["no-meaning"],
  },
  { name: "a day of no calendar", file: gate("stage: trial, since: «2026-02-30»"), codes: ["bad-day"] },
  { name: "a trial that is none", file: gate("«since»: 2026-02-01"), codes: ["no-meaning"] },
  {
    name: "a pattern for a template",
    file: "contract: c\ndefine: {x: a}\nrules: [«$x»]\n",
    codes: ["wrong-type"],
  },
  {
    name: "a template that nobody defined",
    file: "contract: c\nrules: [{use: «$x»}]\n",
    codes: ["unknown-definition"],
  },
  { name: "an unknown clock key", file: gate("clock: {«skew»: 10ms}"), codes: ["unknown-key"] },
  { name: "an unknown tie", file: gate("clock: {tie: «after»}"), codes: ["unknown-word"] },
  { name: "a duration without unit", file: gate("within: «30»"), codes: ["bad-duration"], says: /30s/ },
  { name: "a duration that is none", file: gate("decision_wait: «soon»"), codes: ["bad-duration"] },
  { name: "a negative duration", file: gate("within: «-5s»"), codes: ["bad-duration"] },
  { name: "an id of two lines", file: gate('id: «"a\\nb"»'), codes: ["bad-name"] },
  {
    name: "a negative skew",
    file: gate("clock: {skew_ms: «-5»}"),
    codes: ["bad-duration"],
    says: /not a duration/,
  },
  {
    name: "the same id twice",
    file: "contract: test\nrules:\n  - {id: x, kind: absence, of: a}\n  - {«id»: x, kind: absence, of: b}\n",
    codes: ["duplicate-rule"],
    says: /line 3/,
  },
  {
    name: "several at once, in order",
    file: rule("{kind: gate, require: {«tol»: a}, before: b, severity: «hi», «withn»: 5s}"),
    codes: ["unknown-field", "unknown-word", "unknown-key"],
  },
]);

errorTable("conditions", [
  {
    name: "no then",
    file: "contract: test\nconditional_ordering:\n  - «{if: a}»\n",
    codes: ["missing-key"],
  },
  {
    name: "no if",
    file: "contract: test\nconditional_ordering:\n  - «{then: {before: a, after: b}}»\n",
    codes: ["missing-key"],
  },
  {
    name: "two severities",
    file: "contract: test\nconditional_ordering:\n  - if: a\n    then: {before: b, after: a, «severity»: low}\n    severity: high\n",
    codes: ["set-twice"],
    says: /line 5/,
  },
  {
    name: "a condition in a condition",
    file: rule("{kind: conditional, if: a, then: {«kind»: conditional, if: b}}"),
    codes: ["no-meaning"],
  },
  {
    name: "an unknown key inside",
    file: "contract: test\nconditional_ordering:\n  - if: a\n    then: {before: b, after: a, «bnd»: [args.x]}\n",
    codes: ["unknown-key"],
  },
]);

errorTable("counts", [
  { name: "no bounds", file: rule("«{kind: count, of: a}»"), codes: ["missing-key"] },
  {
    name: "impossible bounds",
    file: rule("{kind: count, of: a, min: 3, «max»: 2}"),
    codes: ["impossible-bounds"],
  },
  { name: "half an event", file: rule("{kind: count, of: a, max: «1.5»}"), codes: ["wrong-type"] },
  { name: "fewer than none", file: rule("{kind: absence, of: a, «n»: 0}"), codes: ["impossible-bounds"] },
  { name: "n and min", file: rule("{kind: existence, of: a, n: 1, «min»: 2}"), codes: ["set-twice"] },
  { name: "a choice of one", file: rule("{kind: choice, «of»: [a]}"), codes: ["list-too-short"] },
]);
