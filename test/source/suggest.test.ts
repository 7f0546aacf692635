import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { editDistance, suggest } from "../../src/source/suggest.ts";
import fc from "../support/properties.ts";

describe("did you mean", () => {
  const known = ["before", "after", "severity", "unless_between", "within", "where", "of"];
  const cases = [
    { word: "befor", meant: "before" },
    { word: "sevrity", meant: "severity" },
    { word: "severtiy", meant: "severity" },
    { word: "unlessBetween", meant: "unless_between" },
    { word: "WITHIN", meant: "within" },
    { word: "wher", meant: "where" },
    { word: "colour", meant: null },
    { word: "x", meant: null },
    { word: "if", meant: "of" },
    { word: "", meant: null },
    { word: "w".repeat(10_000), meant: null },
  ];
  for (const { word, meant } of cases) {
    it(`${word.slice(0, 20) || "nothing"} → ${meant}`, () => assert.equal(suggest(word, known), meant));
  }

  it("takes the nearest, and of equally near ones the first", () => {
    assert.equal(suggest("gats", ["goats", "gate", "gatz"]), "goats");
    assert.equal(suggest("gates", ["games", "gate"]), "games");
  });

  it("never suggests the word itself", () => assert.equal(suggest("gate", ["gate"]), null));
});

/** Straight from the definition, exponential. */
function obvious(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const same = a.at(-1) === b.at(-1);
  const least = [
    obvious(a.slice(0, -1), b) + 1,
    obvious(a, b.slice(0, -1)) + 1,
    obvious(a.slice(0, -1), b.slice(0, -1)) + (same ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)) {
    least.push(obvious(a.slice(0, -2), b.slice(0, -2)) + 1);
  }
  return Math.min(...least);
}

describe("edit distance", () => {
  it("is what its definition says", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 });
    fc.assert(fc.property(word, word, (a, b) => assert.equal(editDistance(a, b), obvious(a, b))));
  });
});
