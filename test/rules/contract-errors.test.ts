import { errorTable, rule } from "./error-table.ts";

errorTable("the file", [
  { name: "empty", file: "", codes: ["empty-file"] },
  { name: "only a comment", file: "# later\n", codes: ["empty-file"] },
  { name: "a list", file: "«- a»\n- b\n", codes: ["wrong-type"], says: /must be a map, not a list/ },
  { name: "a text", file: "«hello»\n", codes: ["wrong-type"] },
  { name: "YAML that does not parse", file: "contract: test\nrules: [\n", codes: ["yaml-syntax"] },
  {
    name: "the same key twice",
    file: "contract: test\nrules: []\n«rules»: []\n",
    codes: ["duplicate-key"],
    says: /the first is on line 2/,
  },
  {
    name: "an unknown key",
    file: "contract: test\n«ordring»: []\n",
    codes: ["unknown-key"],
    says: /Did you mean "ordering"/,
  },
  {
    name: "an include that is not there",
    file: "contract: test\ninclude: [«shared.yaml»]\n",
    codes: ["missing-include"],
  },
  {
    name: "an include of itself",
    file: "contract: test\ninclude: [«test.yaml»]\n",
    codes: ["include-cycle"],
  },
  {
    name: "an include from the net",
    file: "contract: test\ninclude: [«https://x.example/a.yaml»]\n",
    codes: ["missing-include"],
  },
  {
    name: "a review without its day",
    file: "contract: test\nreviewed: «{by: ana}»\nrules: []\n",
    codes: ["missing-key"],
  },
  {
    name: "prerequisites without needs",
    file: "contract: test\nprerequisites: {a: «{same: [x]}»}\n",
    codes: ["missing-key"],
  },
  {
    name: "a runbook that is no web address",
    file: "contract: test\nrunbook: «javascript:alert(1)»\n",
    codes: ["bad-link"],
  },
  {
    name: "a section that is no list",
    file: "contract: test\nrules: «{kind: gate}»\n",
    codes: ["wrong-type"],
  },
  { name: "a rule that is no map", file: rule("«gate»"), codes: ["wrong-type"] },
  {
    name: "an unknown key of applies_to",
    file: "contract: test\napplies_to: {«servce»: x}\n",
    codes: ["unknown-key"],
    says: /Did you mean "service"/,
  },
  { name: "applies_to without a key", file: "contract: test\napplies_to: «{}»\n", codes: ["empty-map"] },
  { name: "a kind that cannot be a name", file: "contract: test\nkinds: [«a b»]\n", codes: ["bad-name"] },
]);

errorTable("tools", [
  {
    name: "an unknown trait",
    file: "contract: test\ntools:\n  a: {«acess»: plain}\n",
    codes: ["unknown-key"],
    says: /Did you mean "access"/,
  },
  {
    name: "an unknown word",
    file: "contract: test\ntools:\n  a: {effect: «externl»}\n",
    codes: ["unknown-word"],
    says: /Did you mean "external"/,
  },
  {
    name: "text for a truth",
    file: "contract: test\ntools:\n  a: {idempotent: «yes»}\n",
    codes: ["wrong-type"],
  },
  {
    name: "an unknown outcome",
    file: "contract: test\ntools:\n  a: {outcome: {«refusd»: {result: x}}}\n",
    codes: ["unknown-status"],
    says: /Did you mean "refused"/,
  },
  {
    name: "a path of no field",
    file: "contract: test\ntools:\n  a: {resource: «ags.id»}\n",
    codes: ["unknown-field"],
    says: /Did you mean "args.id"/,
  },
]);
