import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findJsonFault } from "../../src/otlp/json-fault.ts";
import fc from "../support/properties.ts";

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A text that begins like this can still become JSON: some ending makes it parse. */
const endings = [
  "",
  '"',
  '""',
  '":1',
  ":1",
  "0",
  "1",
  "null",
  "ull",
  "ll",
  "l",
  "rue",
  "ue",
  "e",
  "alse",
  "lse",
  "se",
  '\\"',
  'n"',
  '0000"',
  '000"',
  '00"',
  '0"',
];

function canGoOn(prefix: string, open: string): boolean {
  const closers = ["", '"a":1', '"a"', "1"];
  return endings.some((ending) =>
    closers.some((closer) => parses(prefix + ending + closer + open) || parses(prefix + ending + open)),
  );
}

/** The brackets that are open at the end of a prefix, as what closes them. */
function openBrackets(prefix: string): string {
  const stack: string[] = [];
  let inString = false;
  for (let at = 0; at < prefix.length; at += 1) {
    const char = prefix[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") stack.unshift("}");
    else if (char === "[") stack.unshift("]");
    else if (char === "}" || char === "]") stack.shift();
  }
  return stack.join("");
}

describe("where a text stops being JSON", () => {
  it("what stands before the place can still become JSON, and with the character there it cannot", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        '"a"',
        '"a":',
        "\\",
        "\\u00e9",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "true",
        "nul",
        " ",
        "\n",
        "x",
        '"k":[1,{}]',
      ),
      { maxLength: 12 },
    );
    let faults = 0;
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        if (parses(text)) return;
        const { offset, problem } = findJsonFault(text);
        faults += 1;
        assert.ok(offset >= 0 && offset <= text.length);
        assert.notEqual(problem, "nothing is wrong that could be named", JSON.stringify(text));
        if (offset < text.length) {
          const before = text.slice(0, offset);
          assert.ok(
            canGoOn(before, openBrackets(before)),
            `${JSON.stringify(text)} at ${offset}: ${problem}`,
          );
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(faults > 1_000);
  });

  it("a text cut anywhere ends too soon", () => {
    const text = '{"a":[1,-2.5e+3,true,false,null,{}],"b\\u00e9\\n":{"c":"d"}} ';
    for (let length = 0; length < text.length - 2; length += 1) {
      const { offset, problem } = findJsonFault(text.slice(0, length));
      assert.equal(offset, length);
      assert.match(problem, /it is cut short/);
    }
  });

  it("a million open brackets do not exhaust the stack", () => {
    assert.equal(findJsonFault("[".repeat(1_000_000)).offset, 1_000_000);
  });
});
