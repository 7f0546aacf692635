/** What can be wrong in rules about causality, and in what is declared to commute. */
import { errorTable, rule } from "./error-table.ts";

const commutes = (entry: string): string => `contract: test\ncommutes:\n  - ${entry}\nrules: []\n`;

errorTable("causality", [
  {
    name: "an effect that no tool has",
    file: rule("«{kind: current_at_effect}»"),
    codes: ["missing-key"],
    says: /"of".*[\s\S]*effect: write or external/,
  },
  {
    name: "writes and reads that no tool has",
    file: rule("{kind: conditional_write}"),
    codes: ["missing-key", "missing-key"],
    says: /"write"/,
  },
  {
    name: "a currency that nothing has",
    file: rule("{kind: current_at_effect, of: a, by: [«user»]}"),
    codes: ["unknown-word"],
    says: /decision, turn, run/,
  },
  {
    name: "a cancel that no tool takes",
    file: rule("«{kind: cancel_sent}»"),
    codes: ["missing-key"],
    says: /trait cancel/,
  },
  {
    name: "a wait without its length",
    file: rule("«{kind: wait, after: a, before: b}»"),
    codes: ["missing-key"],
    says: /max/,
  },
  {
    name: "a wait with two lengths",
    file: rule("{kind: wait, after: a, before: b, max: 5s, «within»: 5s}"),
    codes: ["no-meaning"],
  },
  {
    name: "an unknown key",
    file: rule("{kind: known_callback, «requests»: a}"),
    codes: ["unknown-key"],
    says: /Did you mean "request"/,
  },
  {
    name: "a signal that does not exist",
    file: rule("{kind: once_admitted, of: {kind: «admited»}}"),
    codes: ["unknown-kind"],
  },
  {
    name: "two states to compare",
    file: rule("{kind: no_stale_apply, base: «[base_version, version]»}"),
    codes: ["wrong-type"],
  },
  {
    name: "a lease that is taken and never given back",
    file: rule("«{kind: lease, for: a, acquire: b}»"),
    codes: ["missing-key"],
    says: /release/,
  },
  {
    name: "a lease of two forms",
    file: rule("{kind: lease, for: a, acquire: b, release: c, «lease»: d}"),
    codes: ["no-meaning"],
  },
  {
    name: "a replan that is no yes or no",
    file: rule("{kind: reread_after_conflict, read: a, write: b, replan: «maybe»}"),
    codes: ["wrong-type"],
  },
  {
    name: "a scope that never closes for what needs an end",
    file: rule("{kind: no_superseded_apply, «scope»: all}"),
    codes: ["endless-scope"],
  },
]);

errorTable("what commutes", [
  { name: "no tools", file: commutes("«{as: union}»"), codes: ["missing-key"], says: /tools/ },
  {
    name: "no way to merge",
    file: commutes("«{tools: a}»"),
    codes: ["missing-key"],
    says: /union or increment/,
  },
  {
    name: "fields without a path",
    file: commutes("«{tools: a, as: fields}»"),
    codes: ["missing-key"],
    says: /by/,
  },
  {
    name: "an unknown way to merge",
    file: commutes("{tools: a, as: «overwrite»}"),
    codes: ["unknown-word"],
    says: /maximum/,
  },
  {
    name: "a path that is none",
    file: commutes("{tools: a, by: «feild»}"),
    codes: ["unknown-field"],
    says: /Did you mean "field"/,
  },
  { name: "an unknown key", file: commutes("{tools: a, as: union, «bye»: field}"), codes: ["unknown-key"] },
  { name: "an unknown kind", file: commutes("{kind: «aplied», as: union}"), codes: ["unknown-kind"] },
  { name: "no list", file: "contract: test\ncommutes: «{tools: a}»\nrules: []\n", codes: ["wrong-type"] },
  { name: "an entry that is a name", file: commutes("«a»"), codes: ["wrong-type"] },
]);
