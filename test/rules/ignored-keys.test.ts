/** No key is taken and then ignored: whatever a kind of rule accepts changes what it compiles to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonical } from "../../src/rules/canonical.ts";
import { load } from "./marked.ts";
import { ruleSamples } from "./rule-samples.ts";

/** Keys of some kinds, with a value that no sample has and no default is. */
const keys: Readonly<Record<string, string>> = {
  alphabet: "all",
  at_least: "3",
  bind: "[args.zz]",
  consume: "once",
  current: "{v: zz.result.v}",
  deadline: "9m",
  distinct: "result.zz",
  expires: "until",
  factor: "2",
  foreign: "zz",
  fresh: "7m",
  limit: "2",
  min_gap: "2s",
  no_sooner: "1ms",
  not_same_batch: "true",
  revalidate_after: "resume",
  revoked_by: "zz",
  same: "[zz]",
  scope: "{after: zz}",
  superseded_by: "zz",
  unless_between: "[zz]",
  unlisted: "violate",
  until_version_change: "{v: zz.result.v}",
  valid_until: "w.result.zz",
  void_by: "[resume]",
  where: "[w.seq < a.seq]",
  window: "3m",
  within: "9m",
};

const programOf = (rule: string): string | null => {
  const made = load(`contract: c\nrules:\n  - ${rule}\n`).set?.contracts[0]?.rules[0];
  return made === undefined ? null : canonical(made.program);
};

describe("no key is taken and ignored", () => {
  for (const [kind, rule] of ruleSamples) {
    it(kind, () => {
      const plain = programOf(rule);
      assert.ok(plain !== null);
      for (const [key, value] of Object.entries(keys)) {
        if (rule.includes(`${key}:`)) continue;
        assert.notEqual(programOf(`${rule.slice(0, -1)}, ${key}: ${value}}`), plain, key);
      }
    });
  }
});
