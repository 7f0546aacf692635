import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultConfig } from "../../src/config/config.ts";
import { effectiveConfig } from "../../src/config/effective.ts";
import { load, whole } from "./whole-file.ts";

const identity = (text: string) => load(whole({ toolorder: `{identity: ${text}}` }));

describe("processors.toolorder.identity", () => {
  it("names attributes instead of the built-in ones, and is printed as it reads", () => {
    const { config, problems } = identity(
      "{seq: house.decision, turn: [house.turn, agent.turn.id], cancel_requested: house.abort}",
    );
    assert.deepEqual(problems, []);
    assert.ok(config);
    assert.deepEqual(
      [...config.toolorder.core.identity],
      [
        ["turn", ["house.turn", "agent.turn.id"]],
        ["seq", ["house.decision"]],
        ["cancel_requested", ["house.abort"]],
      ],
    );
    assert.match(effectiveConfig(config), /^ {6}seq: house\.decision$/m);
    assert.deepEqual(load(effectiveConfig(config)).config, config);
  });

  it("changes nothing where it says nothing", () => {
    assert.deepEqual(identity("{}").config?.toolorder.core, defaultConfig.toolorder.core);
  });

  it("lets two fields change names", () => {
    assert.deepEqual(identity("{turn: agent.run.id, run_id: agent.turn.id}").problems, []);
  });

  const bad: readonly { title: string; text: string; code: string; says: RegExp; advises: RegExp }[] = [
    {
      title: "a field that is none",
      text: "{sequence: x}",
      code: "unknown-key",
      says: /processors\.toolorder\.identity has no key "sequence"/,
      advises: /Known keys: .*\bseq\b/,
    },
    {
      title: "a misspelt field",
      text: "{trun: x}",
      code: "unknown-key",
      says: /no key "trun"/,
      advises: /Did you mean "turn"/,
    },
    {
      title: "no attribute at all",
      text: "{seq: []}",
      code: "bad-value",
      says: /no attribute is named/,
      advises: /remove the key/,
    },
    {
      title: "an empty name",
      text: '{seq: ""}',
      code: "bad-value",
      says: /the text is empty/,
      advises: /Write the name of an attribute/,
    },
    {
      title: "a number",
      text: "{seq: 4}",
      code: "bad-value",
      says: /an attribute is expected/,
      advises: /house\.decision\.number/,
    },
    {
      title: "one attribute for two fields",
      text: "{seq: house.n, turn: house.n}",
      code: "bad-value",
      says: /"house\.n" is read as turn already/,
      advises: /An attribute says one thing/,
    },
    {
      title: "an attribute that another field has by itself",
      text: "{seq: agent.turn.id}",
      code: "bad-value",
      says: /"agent\.turn\.id" is read as turn already/,
      advises: /or name others for turn/,
    },
    {
      title: "the same attribute twice",
      text: "{seq: [a, a]}",
      code: "bad-value",
      says: /"a" stands here twice/,
      advises: /Name it once/,
    },
  ];
  for (const { title, text, code, says, advises } of bad) {
    it(`refuses ${title}`, () => {
      const { config, problems } = identity(text);
      assert.equal(config, null);
      assert.deepEqual(
        problems.map((problem) => [problem.code, problem.range.line]),
        [[code, 2]],
      );
      assert.match(problems[0]?.message ?? "", says);
      assert.match(problems[0]?.advice ?? "", advises);
    });
  }
});

describe("processors.toolorder.mappings", () => {
  it("can put an event beside its span, and say when it happened", () => {
    const { config } = load(
      whole({
        toolorder:
          "{mappings: [{on: beside, at: end, when: {attributes: {house.abort: true}}, kind: cancel_requested}]}",
      }),
    );
    assert.ok(config);
    const [mapping] = config.toolorder.core.mappings;
    assert.deepEqual(
      [mapping?.on, mapping?.at, mapping?.when.attributes?.get("house.abort")],
      ["beside", "end", "true"],
    );
    assert.deepEqual(load(effectiveConfig(config)).config, config);
  });

  it("refuses a time of what has its own", () => {
    const { problems } = load(
      whole({ toolorder: "{mappings: [{on: event, at: end, when: {span: a}, kind: approval}]}" }),
    );
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["bad-value"],
    );
    assert.match(problems[0]?.message ?? "", /mappings\.0\.at: only what stands beside a span/);
  });
});
