/** Definitions and tools of other files, templates of rules, prerequisites, severities by case. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { includedFile, includesOf } from "../../src/rules/includes.ts";
import { loadContracts } from "../../src/rules/load.ts";
import { errorsOf, load } from "./marked.ts";

const files = (texts: Readonly<Record<string, string>>, libraries: readonly string[] = []) =>
  loadContracts(
    Object.entries(texts).map(([file, text]) => ({
      file,
      text,
      ...(libraries.includes(file) ? { included: true as const } : {}),
    })),
  );

const rulesOf = ({ set }: ReturnType<typeof loadContracts>): readonly string[] =>
  (set?.contracts ?? []).flatMap((contract) =>
    contract.rules.map(({ id, expected }) => `${id}: ${expected}`),
  );

const shown = ({ problems }: ReturnType<typeof loadContracts>): readonly string[] =>
  errorsOf(problems).map(({ file, range, code, message }) => `${file}:${range.line} ${code} ${message}`);

describe("the file that an include names", () => {
  const rows = [
    ["contracts/a.yaml", "shared/b.yaml", "contracts/shared/b.yaml"],
    ["contracts/a.yaml", "../b.yaml", "b.yaml"],
    ["a.yaml", "./b.yaml", "b.yaml"],
    ["a.yaml", "../lib/b.yaml", "../lib/b.yaml"],
    ["/etc/t/a.yaml", "b.yaml", "/etc/t/b.yaml"],
    ["a.yaml", "/etc/t/b.yaml", "/etc/t/b.yaml"],
    ["../x/a.yaml", "../b.yaml", "../b.yaml"],
  ] as const;
  for (const [from, path, want] of rows) {
    it(`${path} in ${from}`, () => assert.equal(includedFile(from, path), want));
  }
  it("is found in a text before anything is checked", () => {
    assert.deepEqual(includesOf("c/a.yaml", "include: nothing\n"), []);
    assert.deepEqual(includesOf("c/a.yaml", "include: [b.yaml, 'https://x.example/c']\n"), ["c/b.yaml"]);
  });
});

describe("include", () => {
  const library = "define:\n  ok: {tool: check, result: approved}\ntools: {check: , read: }\n";

  it("brings definitions and tools, never rules", () => {
    const found = files(
      {
        "c/a.yaml":
          "contract: a\ninclude: [lib.yaml]\ntools: {other: }\nrules: [{kind: gate, require: $ok, before: read}]\n",
        "c/lib.yaml": `${library}rules: [{kind: absence, of: never}]\n`,
      },
      ["c/lib.yaml"],
    );
    assert.deepEqual(rulesOf(found), ["gate-check-read: check (result: approved) before read"]);
    assert.deepEqual(found.problems, []);
    assert.deepEqual([...(found.set?.tools.keys() ?? [])], ["other", "check", "read"]);
  });

  it("reaches what included files include", () => {
    const found = files(
      {
        "a.yaml": "contract: a\ninclude: [b.yaml]\nrules: [{kind: absence, of: $deep}]\n",
        "b.yaml": "include: [c.yaml]\ndefine: {mine: {any_of: [$deep, x]}}\n",
        "c.yaml": "define: {deep: y}\n",
      },
      ["b.yaml", "c.yaml"],
    );
    assert.deepEqual(rulesOf(found), ["absence-y: no y"]);
  });

  it("of a file that is a contract too leaves both their rules", () => {
    const found = files({
      "a.yaml": "contract: a\ninclude: [b.yaml]\nrules: [{kind: absence, of: $x}]\n",
      "b.yaml": "contract: b\ndefine: {x: y}\nrules: [{kind: existence, of: $x}]\n",
    });
    assert.deepEqual(rulesOf(found), ["absence-y: no y", "existence-y: at least 1 y"]);
  });

  it("of a file that stands among contracts and only shares needs no word to say so", () => {
    const found = files({
      "a.yaml": "contract: a\ninclude: [b.yaml]\nrules: [{kind: absence, of: $x}]\n",
      "b.yaml": "define: {x: y}\n",
    });
    assert.deepEqual(found.problems, []);
    assert.deepEqual(rulesOf(found), ["absence-y: no y"]);
  });

  it("takes one meaning a name, and names both places", () => {
    const a = "contract: a\ninclude: [b.yaml, c.yaml]\ndefine:\n  x: one\nrules: []\n";
    const same = files({ "a.yaml": a, "b.yaml": "define: {x: one}\n", "c.yaml": "define:\n  x: one\n" }, [
      "b.yaml",
      "c.yaml",
    ]);
    assert.deepEqual(shown(same), []);
    const other = files({ "a.yaml": a, "b.yaml": "define: {x: two}\n", "c.yaml": "define: {}\n" }, [
      "b.yaml",
      "c.yaml",
    ]);
    assert.deepEqual(shown(other), [
      'a.yaml:4 conflicting-definition "x" means something else in b.yaml:1:10',
    ]);
    const two = files(
      {
        "a.yaml": "contract: a\ninclude: [b.yaml, c.yaml]\nrules: []\n",
        "b.yaml": "define: {x: two}\n",
        "c.yaml": "define: {x: three}\n",
      },
      ["b.yaml", "c.yaml"],
    );
    assert.deepEqual(shown(two), [
      'a.yaml:2 conflicting-definition "x" means one thing in b.yaml:1:10 and another in c.yaml:1:10',
    ]);
  });

  it("in a circle is refused, with the way", () => {
    const found = files(
      { "a.yaml": "contract: a\ninclude: [b.yaml]\nrules: []\n", "b.yaml": "include: [a.yaml]\n" },
      ["b.yaml"],
    );
    assert.deepEqual(shown(found), [
      "a.yaml:2 include-cycle files include each other: b.yaml → a.yaml → b.yaml",
      "b.yaml:1 include-cycle files include each other: a.yaml → b.yaml → a.yaml",
    ]);
  });

  it("tells what is wrong in an included file there, and where it is used", () => {
    const found = files(
      {
        "a.yaml": "contract: a\ninclude: [b.yaml]\nrules: [{kind: absence, of: $x}]\n",
        "b.yaml": "\n\ndefine: {x: {tool: y, statu: ok}}\nnothing: 1\n",
      },
      ["b.yaml"],
    );
    assert.deepEqual(
      shown(found).map((text) => text.split(" ").slice(0, 2).join(" ")),
      ["a.yaml:3 unknown-field", "b.yaml:3 unknown-field", "b.yaml:4 unknown-key"],
    );
  });
});

describe("templates of rules", () => {
  const define =
    "contract: t\ndefine:\n  keys: [args.user]\n  gate: {kind: gate, require: ok, bind: $keys, severity: low}\n  twice: {use: $gate, within: 5m}\n";
  it("are rules, and rules with other keys", () => {
    const found = load(
      `${define}rules:\n  - {use: $gate, before: a}\n  - {use: $twice, before: b, severity: high}\n`,
    );
    assert.deepEqual(rulesOf(found), [
      "gate-ok-a: ok before a for the same args.user",
      "gate-ok-b: ok before b for the same args.user within 5m",
    ]);
    assert.deepEqual(
      found.set?.contracts[0]?.rules.map(({ severity }) => severity),
      ["low", "high"],
    );
  });
  it("of the same content are two rules in two contracts", () => {
    const lib = "define: {g: {kind: gate, require: ok, before: a}}\n";
    const use = (name: string) => `contract: ${name}\ninclude: [lib.yaml]\nrules: [$g]\n`;
    const { set } = files({ "a.yaml": use("a"), "b.yaml": use("b"), "lib.yaml": lib }, ["lib.yaml"]);
    assert.deepEqual(
      set?.contracts.map(({ name, rules }) => [name, rules.map(({ contract, id }) => `${contract}/${id}`)]),
      [
        ["a", ["a/gate-ok-a"]],
        ["b", ["b/gate-ok-a"]],
      ],
    );
  });
  it("that use themselves are refused", () => {
    const found = load("contract: t\ndefine: {g: {use: $g}}\nrules: [$g]\n");
    assert.deepEqual(
      errorsOf(found.problems).map(({ code }) => code),
      ["definition-cycle"],
    );
  });
});

describe("prerequisites", () => {
  const text = `contract: p
prerequisites:
  create_enrollment:
    same: [user_id, plan_id]
    severity: critical
    needs:
      - {authenticated: {tool: verify, status: success}}
      - proof: {from: acknowledge, current: {catalog_version: load_catalog.result.version}, severity: high}
`;
  it("are one rule a need, by name", () => {
    const rules = load(text).set?.contracts[0]?.rules ?? [];
    assert.deepEqual(
      rules.map(({ id, kind, severity, category }) => [id, kind, severity, category]),
      [
        ["create_enrollment.authenticated", "gate", "critical", "safety_gate"],
        ["create_enrollment.proof", "evidence", "high", "evidence"],
      ],
    );
    assert.match(rules[0]?.expected ?? "", /for the same args.user_id and args.plan_id/);
  });
  it("may stand among the rules", () => {
    const found = load("contract: p\nrules:\n  - {kind: prerequisites, pay: {needs: [{asked: confirm}]}}\n");
    assert.deepEqual(rulesOf(found), ["pay.asked: confirm before pay"]);
  });
});

describe("severity_when", () => {
  it("makes a rule of each case, and one of all other steps", () => {
    const found = load(
      "contract: s\nrules:\n  - {id: g, kind: gate, require: ok, before: pay, severity: high, severity_when: {refused: low, success: critical}}\n",
    );
    assert.deepEqual(
      found.set?.contracts[0]?.rules.map(({ id, severity, expected }) => `${id} ${severity} ${expected}`),
      [
        "g high ok before pay",
        "g.refused low ok before pay, for status refused",
        "g.success critical ok before pay, for status success",
      ],
    );
  });
});
