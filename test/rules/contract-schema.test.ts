/**
 * `docs/contract.schema.json`: in step with the loader, lenient enough for every contract that loads, and strict
 * enough for keys that are misspelt. Checked with a validator that knows nothing of this program.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { contractSchema, contractSchemaText } from "../../src/rules/contract-schema.ts";
import { patternKeys } from "../../src/rules/schema-patterns.ts";
import { guardedKinds, ruleKinds } from "../../src/rules/sugar/kinds.ts";
import { readFiles } from "../support/repository.ts";
import { errorsOf, load } from "./marked.ts";
import { ruleSamples } from "./rule-samples.ts";

const schema = JSON.parse(readFileSync("docs/contract.schema.json", "utf8")) as object;
const validator = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: false });
const validate = validator.compile(schema);

const fits = (contract: unknown): boolean => validate(contract) === true;
const complaint = (): string => validator.errorsText(validate.errors);

interface Named {
  readonly name: string;
  readonly contract: unknown;
}

const isContract = (text: string): boolean =>
  /^(?:rules|ordering|conditional_ordering|state_machines|prerequisites):/m.test(text);

/** Every contract that this repository shows to a reader. */
const shown: readonly Named[] = [
  ...[...readFiles("examples", (path) => path.endsWith(".yaml"))].flatMap(([name, text]) => {
    if (!isContract(text) && !/^cases:/m.test(text)) return [];
    const read = parse(text) as { readonly contract?: unknown; readonly cases?: unknown };
    const inside = read.cases === undefined ? read : read.contract;
    return typeof inside === "object" && inside !== null ? [{ name, contract: inside }] : [];
  }),
  ...["docs/rules.md", "README.md", "docs/contract-tests.md"].flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
      .map(([, text = ""]) => text)
      .filter(
        (text) => isContract(text) && !/^cases:/m.test(text) && errorsOf(load(text).problems).length === 0,
      )
      .map((text) => ({ name: `${page}: ${text.split("\n")[0]}`, contract: parse(text) as unknown })),
  ),
];

const everyMap = readFileSync("test/rules/data/every-map.yaml", "utf8");

const samples: readonly Named[] = [
  ...[...ruleSamples].map(([kind, rule]) => ({
    name: `a rule of kind ${kind}`,
    contract: { contract: "c", rules: [parse(rule)] as readonly unknown[] },
  })),
  { name: "a contract with every map", contract: parse(everyMap) },
];

describe("the schema of contracts", () => {
  it("is in step with the loader: npm run docs:schema", () => {
    assert.equal(readFileSync("docs/contract.schema.json", "utf8"), contractSchemaText());
  });

  it("describes every kind of rule", () => {
    const { definitions } = contractSchema() as { definitions: Record<string, { properties?: object }> };
    for (const kind of [...ruleKinds.keys(), ...guardedKinds]) {
      const keys = Object.keys(definitions[`rule_${kind}`]?.properties ?? {});
      assert.ok(keys.length > (kind === "conditional" ? 1 : 15), `${kind}: ${keys.join()}`);
    }
  });

  it("names the words of patterns that the parser takes, and no others", () => {
    const values: Readonly<Record<string, string>> = {
      kind: "decision",
      boundary: "started_at",
      where: "e.seq > 1",
      any_of: "[a]",
      not: "b",
      absent: "args.x",
    };
    for (const key of Object.keys(patternKeys)) {
      const { problems } = load(
        `contract: c\nrules: [{kind: absence, of: {${key}: ${values[key] ?? "a"}}}]\n`,
      );
      assert.deepEqual(errorsOf(problems), [], key);
    }
  });

  it("has contracts to try, which load", () => {
    assert.ok(shown.length > 8 && samples.length > 35);
    assert.deepEqual(errorsOf(load(everyMap).problems), []);
  });

  for (const { name, contract } of [...shown, ...samples]) {
    it(`takes ${name}`, () => assert.ok(fits(contract), complaint()));
  }

  it("is named at the top of every example", () => {
    const contracts = [...readFiles("examples", (path) => path.endsWith(".yaml"))].filter(
      ([, text]) => isContract(text) && !/^cases:/m.test(text),
    );
    assert.ok(contracts.length >= 2);
    for (const [path, text] of contracts) {
      const up = "../".repeat(path.split("/").length - 1);
      assert.ok(text.startsWith(`# yaml-language-server: $schema=${up}docs/contract.schema.json\n`), path);
    }
  });
});

type Json = { readonly [key: string]: unknown } | readonly unknown[];

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** The same with one key misspelt, for every key in turn; the way to it is named. */
function misspelt(value: unknown, way = ""): readonly { readonly way: string; readonly made: unknown }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      misspelt(item, `${way}[${index}]`).map(({ way: at, made }) => ({
        way: at,
        made: value.with(index, made),
      })),
    );
  }
  if (!isJson(value)) return [];
  return Object.entries(value).flatMap(([key, held]) => [
    {
      way: `${way}.${key}`,
      made: Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name === key ? `${key}zq` : name, one]),
      ),
    },
    ...misspelt(held, `${way}.${key}`).map(({ way: at, made }) => ({
      way: at,
      made: { ...value, [key]: made },
    })),
  ]);
}

/** The same with one key more, for every map in turn. */
function withStranger(value: unknown, way = ""): readonly { readonly way: string; readonly made: unknown }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      withStranger(item, `${way}[${index}]`).map((one) => ({ ...one, made: value.with(index, one.made) })),
    );
  }
  if (!isJson(value)) return [];
  return [
    { way, made: { ...value, zqkey: "x" } },
    ...Object.entries(value).flatMap(([key, held]) =>
      withStranger(held, `${way}.${key}`).map((one) => ({ ...one, made: { ...value, [key]: one.made } })),
    ),
  ];
}

/** What a schema cannot know: names of definitions, states and tools are the contract's own. */
const refusedForKeys = new Set([
  "unknown-key",
  "unknown-field",
  "missing-key",
  "unknown-operator",
  "unknown-status",
]);

describe("a key that no map has", () => {
  for (const { name, contract } of [...shown, ...samples]) {
    it(`fails in every map of ${name}`, () => {
      let refused = 0;
      for (const { way, made } of withStranger(contract)) {
        const found = errorsOf(load(JSON.stringify(made)).problems).filter(({ code }) =>
          refusedForKeys.has(code),
        );
        if (found.length === 0) continue;
        refused += 1;
        assert.ok(!fits(made), `${way}: ${found[0]?.message}`);
      }
      // The contract itself and its rules take no stranger.
      assert.ok(refused >= 2, `${refused}`);
    });
  }
});

describe("a misspelt key", () => {
  for (const { name, contract } of [...shown, ...samples]) {
    it(`of ${name} fails`, () => {
      const all = misspelt(contract);
      let refused = 0;
      for (const { way, made } of all) {
        const found = errorsOf(load(JSON.stringify(made)).problems).filter(({ code }) =>
          refusedForKeys.has(code),
        );
        if (found.length === 0) continue;
        refused += 1;
        // Which keys a rule under a condition needs depends on both maps: that is left to the loader.
        if (/kind: conditional/.test(name) || found.every(({ code }) => code === "missing-key")) continue;
        assert.ok(!fits(made), `${way}: ${found[0]?.message}`);
      }
      assert.ok(refused > 0 || all.length === 0);
    });
  }

  const own = { contract: "c", rules: [{ kind: "absence", of: { kind: "decision", colour: "red" } }] };
  it("of a pattern is told, and a field of one's own is let through where fields are declared", () => {
    assert.equal(fits(own), false);
    assert.equal(fits({ ...own, fields: ["colour"] }), true, complaint());
  });
});
