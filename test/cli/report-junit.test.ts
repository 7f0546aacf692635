/** The document is read by a strict XML parser that shares nothing with what wrote it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SaxesParser } from "saxes";
import { xmlDocument, xmlElement } from "../../src/cli/xml-text.ts";
import fc from "../support/properties.ts";
import {
  brokenRun,
  exampleLine,
  exampleTrace,
  gateContract,
  idleRun,
  keptRun,
  runCheck,
  undecidedRun,
  workFolder,
} from "./check-run.ts";

const folder = workFolder();

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Throws at the first thing that is not well-formed. */
function parse(xml: string): Element {
  const top: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.write(xml).close();
  const [root] = top.children;
  assert.ok(root);
  return root;
}

const named = (element: Element, name: string): readonly Element[] => [
  ...(element.name === name ? [element] : []),
  ...element.children.flatMap((child) => named(child, name)),
];

async function judge(contract: string, events: string, failOn = "high") {
  const { out, code } = await runCheck({
    contracts: [folder.write("rule.yaml", contract)],
    traces: [folder.write("events.json", events)],
    format: "junit",
    failOn,
  });
  const root = parse(out);
  const [one] = named(root, "testcase");
  const outcome = one?.children.find(({ name }) => name !== "system-out");
  return { root, code, one, outcome };
}

describe("check, as JUnit", () => {
  it("has one suite a contract and one case a rule and run", async () => {
    const { out, code } = await runCheck({
      format: "junit",
      traces: [exampleTrace("incident.json"), exampleTrace("good.json")],
    });
    const root = parse(out);
    assert.equal(code, 1);
    assert.equal(root.name, "testsuites");
    const [suite, ...more] = root.children;
    assert.equal(more.length, 0);
    assert.equal(suite?.attributes.name, "customer-feature-access");
    assert.equal(suite?.attributes.file, "examples/customer-access/contract.yaml");
    const cases = named(root, "testcase");
    const names = cases.map(({ attributes }) => attributes.name ?? "");
    assert.equal(new Set(names).size, names.length, "every case has a name of its own");
    assert.ok(names.includes("auth-gate [incident]") && names.includes("auth-gate [good]"));
    const broken = cases.filter((one) => one.children.some(({ name }) => name === "failure"));
    assert.deepEqual(
      broken.map(({ attributes }) => [attributes.name, attributes.line]),
      [["auth-gate [incident]", String(exampleLine("auth-gate"))]],
    );
    const [failure] = named(root, "failure");
    assert.equal(failure?.attributes.message, "authorization gate violated");
    assert.equal(failure?.attributes.type, "violated: witness_late");
    assert.match(failure?.text ?? "", /02\. get_customer_plan .*<-- sensitive access\n/);
  });

  it("counts what it holds, in the suite and above", async () => {
    const { out } = await runCheck({ format: "junit", traces: ["examples/customer-access/traces/*.json"] });
    const root = parse(out);
    for (const element of [root, ...named(root, "testsuite")]) {
      const { tests, failures, errors, skipped } = element.attributes;
      assert.equal(Number(tests), named(element, "testcase").length);
      assert.equal(Number(failures), named(element, "failure").length);
      assert.equal(Number(errors), named(element, "error").length);
      assert.equal(Number(skipped), named(element, "skipped").length);
      assert.ok(Number(failures) > 1 && Number(skipped) > 1);
    }
  });

  const outcomes: readonly {
    readonly name: string;
    readonly contract: string;
    readonly events: string;
    readonly failOn?: string;
    readonly is: string | undefined;
    readonly says?: RegExp;
  }[] = [
    { name: "kept", contract: gateContract("high"), events: keptRun, is: undefined },
    { name: "broken", contract: gateContract("high"), events: brokenRun, is: "failure", says: /B before A/ },
    {
      name: "undecided",
      contract: gateContract("high"),
      events: undecidedRun,
      is: "error",
      says: /^not decided: A .*before B: cannot be told/,
    },
    {
      name: "broken below the threshold",
      contract: gateContract("medium"),
      events: brokenRun,
      is: "skipped",
      says: /^violated, and medium is below high$/,
    },
    {
      name: "broken where nothing fails",
      contract: gateContract("critical"),
      events: brokenRun,
      failOn: "never",
      is: "skipped",
      says: /^violated, and nothing fails this check$/,
    },
    {
      name: "undecided below the threshold",
      contract: gateContract("low"),
      events: undecidedRun,
      is: "skipped",
      says: /^inconclusive, and low is below high$/,
    },
    {
      name: "on trial",
      contract: gateContract("critical", ", stage: trial"),
      events: brokenRun,
      is: "skipped",
      says: /^violated, and on trial$/,
    },
    {
      name: "a preference",
      contract: gateContract("critical", ", class: preference"),
      events: brokenRun,
      is: "skipped",
      says: /^violated, and a preference$/,
    },
    {
      name: "vacuous",
      contract: gateContract("high"),
      events: idleRun,
      is: "skipped",
      says: /^vacuous: the rule had nothing to judge$/,
    },
  ];
  for (const { name, contract, events, failOn, is, says } of outcomes) {
    it(`shows a rule that is ${name} as ${is ?? "passed"}`, async () => {
      const { one, outcome } = await judge(contract, events, failOn);
      assert.ok(one);
      assert.equal(outcome?.name, is);
      if (says !== undefined) assert.match(outcome?.attributes.message ?? "", says);
    });
  }

  it("holds whatever traffic calls its runs and tools", async () => {
    const name = "B<&>\"']]>\u0000\u0007\ud800\u202e\n</testcase>";
    const contract = `contract: c\nrules:\n  - {id: r, kind: gate, require: A, before: "/^B/", severity: high}\n`;
    const { root, one } = await judge(
      contract,
      JSON.stringify([
        { name, run: name },
        { name: "A", run: name },
      ]),
    );
    assert.equal(named(root, "testcase").length, 1);
    assert.match(one?.attributes.name ?? "", /^r \[B<&>"']]>\ufffd/);
    assert.match(named(root, "failure")[0]?.text ?? "", /B<&>"']]>\ufffd/);
  });
});

describe("text in XML", () => {
  const holds = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

  it("comes back as it was, and what XML cannot hold as one mark", () => {
    const anything = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(anything, fc.string({ maxLength: 40 }), (attribute, text) => {
        const root = parse(xmlDocument(xmlElement("a", { b: attribute }, text)));
        for (const [written, read] of [
          [attribute, root.attributes.b],
          [text, root.text],
        ]) {
          if (holds.test(written ?? "")) assert.equal(read, written);
          else assert.match(read ?? "", /\ufffd/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is never taken for markup", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "&",
      '"',
      "'",
      "]]>",
      "<!--",
      "&amp;",
      "\r\n",
      "\t",
      "\ud800",
      "x",
    );
    const pieces = fc.array(piece, { maxLength: 12 }).map((list) => list.join(""));
    fc.assert(
      fc.property(pieces, pieces, (attribute, text) => {
        const root = parse(xmlDocument(xmlElement("a", { b: attribute }, text)));
        assert.equal(root.attributes.b, attribute.replaceAll("\ud800", "\ufffd"));
        assert.equal(root.text, text.replaceAll("\ud800", "\ufffd"));
        assert.equal(root.children.length, 0);
      }),
    );
  });
});
