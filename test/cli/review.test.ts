/** The review sheet: kept as texts under `test/cli/explained`, and every piece to paste loads and closes its gap. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parse, stringify } from "yaml";
import { main } from "../../src/cli/main.ts";
import type { Item, Review } from "../../src/cli/review-item.ts";
import { loadContracts } from "../../src/rules/load.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "toolorder-review-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(text: string, ending: string): string {
  files += 1;
  const path = join(folder, `f${files}.${ending}`);
  writeFileSync(path, text);
  return path;
}

async function review(...args: readonly string[]): Promise<{ out: string; err: string; code: number }> {
  const seen = fakeTerminal();
  const terminal = { ...seen.terminal, readFile: (path: string) => readFileSync(path, "utf8") };
  const code = await main(["explain", "--review", ...args], terminal);
  return { out: seen.out, err: seen.err, code };
}

type Run = readonly Record<string, unknown>[];

async function sheet(contract: string, runs: readonly Run[] = []): Promise<Review> {
  const traces = runs.map((run) =>
    file(JSON.stringify(run.map((event) => ({ type: "tool_call", ...event }))), "json"),
  );
  const { out, err, code } = await review(file(contract, "yaml"), ...traces, "--format", "json");
  assert.equal(code, 0, err);
  const { contracts } = JSON.parse(out) as { contracts: Review[] };
  const [only] = contracts;
  assert.ok(only !== undefined);
  return only;
}

const answer = ({ questions }: Review, number: number): readonly Item[] => questions[number - 1]?.items ?? [];
const gapsOf = ({ questions }: Review): readonly Item[] =>
  questions.flatMap(({ items }) => items.filter(({ mark }) => mark === "gap"));
const textsOf = (items: readonly Item[]): readonly string[] =>
  items.map(({ mark, text }) => `${mark} ${text}`);

interface Contract {
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
}

/** The contract with everything pasted that the sheet offers. */
function pasted(contract: string, found: Review): string {
  const made = parse(contract) as Contract;
  const pieces = gapsOf(found).flatMap(({ paste }) => (paste === null ? [] : [paste]));
  const of = (under: "rules" | "tools"): readonly string[] =>
    pieces.filter((piece) => piece.under === under).map(({ lines }) => lines.join("\n"));
  const tools = of("tools").map((text) => parse(text) as Record<string, object>);
  const merged: Record<string, object> = { ...((made.tools ?? {}) as Record<string, object>) };
  for (const [name, traits] of tools.flatMap((tool) => Object.entries(tool))) {
    merged[name] = { ...merged[name], ...traits };
  }
  const rules = of("rules").flatMap((text) => parse(text) as unknown[]);
  return stringify({ ...made, tools: merged, rules: [...(made.rules ?? []), ...rules] });
}

const problemsOf = (text: string): readonly string[] =>
  loadContracts([{ file: "pasted.yaml", text }]).problems.map(({ code, message }) => `${code}: ${message}`);

const plainText = { serializers: [(text: string): string => `${text}\n`] };
const example = "examples/customer-access/contract.yaml";
const traces = "examples/customer-access/traces/*.json";

describe("the review of the example", () => {
  it("answers ten questions from the contract alone", async (t) => {
    const { out, err, code } = await review(example);
    assert.deepEqual([code, err], [0, ""]);
    t.assert.fileSnapshot(out, "test/cli/explained/review.txt", plainText);
  });

  it("answers them with what the runs show", async (t) => {
    const { out, err, code } = await review(example, traces);
    assert.deepEqual([code, err], [0, ""]);
    t.assert.fileSnapshot(out, "test/cli/explained/review-traces.txt", plainText);
  });

  it("is Markdown where that is asked for, with a box for every gap", async (t) => {
    const { out, code } = await review(example, traces, "--format", "markdown");
    assert.equal(code, 0);
    assert.equal(out.match(/^- \[ \] /gm)?.length, 7);
    assert.equal(out.match(/^## \d+\. /gm)?.length, 10);
    t.assert.fileSnapshot(out, "test/cli/explained/review-traces.md", plainText);
  });

  it("offers only what loads, all together", async () => {
    const { out } = await review(example, traces, "--format", "json");
    const [found] = (JSON.parse(out) as { contracts: Review[] }).contracts;
    assert.ok(found !== undefined && gapsOf(found).length > 5);
    assert.deepEqual(problemsOf(pasted(readFileSync(example, "utf8"), found)), []);
  });
});

interface Row {
  readonly name: string;
  readonly question: number;
  readonly contract: string;
  readonly runs?: readonly Run[];
  readonly says: readonly string[];
}

const call = (name: string, more: Record<string, unknown> = {}) => ({ name, ...more });

const rows: readonly Row[] = [
  {
    name: "a sensitive tool that nothing guards, with the check that the contract knows",
    question: 1,
    contract:
      "contract: c\ntools: {read_file: {access: sensitive, effect: read}, check_permission: {effect: read}}\nrules: [{kind: absence, of: x}]\n",
    says: ["gap read_file (sensitive, read): nothing stands before it"],
  },
  {
    name: "a sensitive tool that a state guards",
    question: 1,
    contract:
      "contract: c\ntools: {read_file: {access: sensitive}}\nrules: [{id: m, kind: machine, transitions: [[s, login, t], [t, read_file, t]]}]\n",
    says: ["ok read_file (sensitive): only in state t (m, medium)"],
  },
  {
    name: "an effect that nothing guards, and a tool that says nothing of what it does",
    question: 2,
    contract:
      "contract: c\ntools: {send_mail: {effect: external}, get_mail: }\nrules: [{kind: absence, of: x}]\n",
    says: [
      "gap send_mail (external): nothing stands before it",
      "gap what get_mail does is not declared",
      "gap what x does is not declared",
    ],
  },
  {
    name: "a gate that a failed call opens",
    question: 3,
    contract: "contract: c\nrules: [{id: g, kind: gate, require: approve, before: pay}]\n",
    says: ["gap approve before pay (g, critical): a failed or refused call counts too"],
  },
  {
    name: "a value that was used before it was read",
    question: 4,
    contract: "contract: c\nrules: [{kind: absence, of: x}]\n",
    runs: [
      [call("set_plan", { args: { plan: "gold-7" } }), call("get_plan", { result: { plan: "gold-7" } })],
    ],
    says: [
      "gap args.plan of set_plan was used before get_plan had read it in 1 of 1 run, and no rule says which comes first",
    ],
  },
  {
    name: "a value that another call had before",
    question: 4,
    contract: "contract: c\nrules: [{kind: absence, of: x}]\n",
    runs: [
      [
        call("note", { args: { plan: "gold-7" } }),
        call("set_plan", { args: { plan: "gold-7" } }),
        call("get_plan", { result: { plan: "gold-7" } }),
      ],
    ],
    says: [
      "gap args.plan of note was used before get_plan had read it in 1 of 1 run, and no rule says which comes first",
    ],
  },
  {
    name: "a value that the user gave to both",
    question: 4,
    contract: "contract: c\nrules: [{kind: absence, of: x}]\n",
    runs: [
      [
        call("set_plan", { args: { plan: "gold-7" } }),
        call("get_plan", { args: { plan: "gold-7" }, result: { plan: "gold-7" } }),
      ],
    ],
    says: ["note no rule says what must be read first (category: information_dependency)"],
  },
  {
    name: "a write, with the tool that reads its resource",
    question: 5,
    contract:
      "contract: c\ntools: {get_ticket: {effect: read, resource: args.id}, set_ticket: {effect: write, resource: args.id}}\nrules: [{kind: absence, of: x}]\n",
    says: ["gap set_ticket: may write what it has not read"],
  },
  {
    name: "a write that reads first",
    question: 5,
    contract:
      "contract: c\ntools: {get_ticket: {effect: read}, set_ticket: {effect: write}}\nrules: [{id: g, kind: gate, require: {tool: get_ticket, status: success}, before: set_ticket, bind: [args.id]}]\n",
    says: ["ok set_ticket after get_ticket (status: success) for the same args.id (g, critical)"],
  },
  {
    name: "an ordering that asks every run for what only some do",
    question: 6,
    contract: "contract: c\nordering: [{id: o, before: {tool: a, status: success}, after: b}]\n",
    runs: [[call("a"), call("b")], [call("a")]],
    says: ["gap b (o, medium): taken in 1 of 2 runs, and the rule asks every run to take it"],
  },
  {
    name: "a retry",
    question: 7,
    contract: "contract: c\nrules: [{id: g, kind: gate, require: {tool: a, status: success}, before: b}]\n",
    runs: [[call("a", { status: "error" }), call("a"), call("b")]],
    says: ["ok a (status: success) counts (g, critical)", "note a failed and was called again 1 time"],
  },
  {
    name: "rules that block nothing",
    question: 8,
    contract:
      "contract: c\nrules: [{id: one, kind: absence, of: x}, {id: two, kind: absence, of: y, severity: critical, stage: trial}]\n",
    says: ["ok warn: one", "note no rule blocks: none that is enforced is critical or high"],
  },
  {
    name: "an order that varies",
    question: 9,
    contract: "contract: c\nrules: [{kind: absence, of: x}]\n",
    runs: [
      [call("a"), call("b")],
      [call("a"), call("b")],
      [call("b"), call("a")],
    ],
    says: ["gap a came before b in 2 runs and after it in 1, and no rule says whether that matters"],
  },
  {
    name: "who reviewed it, and the policy behind it",
    question: 10,
    contract:
      "contract: c\npolicy: https://policies.example/1\nreviewed: {by: ana, on: 2026-05-31}\nrules: [{kind: absence, of: x}]\n",
    says: [
      "ok reviewed by ana on 2026-05-31",
      "note no traces were given: whether rules are exercised is not known",
    ],
  },
  {
    name: "rules on trial, never exercised, often broken, and tools that no rule mentions",
    question: 10,
    contract:
      "contract: c\nrules: [{id: one, kind: gate, require: {tool: a, status: success}, before: b, severity: high}, {id: two, kind: gate, require: {tool: a, status: success}, before: z, stage: trial, why: w}]\n",
    runs: [1, 2, 3, 4].map(() => [call("b"), call("extra")]),
    says: [
      "note the contract does not say who reviewed it (reviewed: {by, on})",
      "note the contract names no policy that it stands for (policy:)",
      "note two is on trial: judged and shown, never an alert",
      "gap one judged 4 of 4 runs, 4 violated: more often broken than kept, so let it run on trial first (stage: trial)",
      "gap two was never exercised in 4 runs",
      "gap extra was called 4 times, and no rule mentions it",
    ],
  },
];

describe("review", () => {
  for (const { name, question, contract, runs = [], says } of rows) {
    it(`${question}: ${name}`, async () => {
      const found = await sheet(contract, runs);
      assert.equal(found.questions.length, 10);
      assert.deepEqual(textsOf(answer(found, question)), says);
      const gaps = answer(found, question).filter(({ mark }) => mark === "gap");
      const fixed = pasted(contract, found);
      const had = new Set(problemsOf(contract));
      assert.deepEqual(
        problemsOf(fixed).filter((problem) => !had.has(problem)),
        [],
      );
      const left = textsOf(answer(await sheet(fixed, runs), question));
      // A rule is a proposal beside the one it betters, so these stay until a person takes that one out.
      const beside = [3, 6].includes(question);
      for (const { text, paste } of gaps) {
        if (paste !== null && !beside) assert.ok(!left.includes(`gap ${text}`), `still open: ${text}`);
      }
    });
  }

  it("gives no pasted rule an id that is taken", async () => {
    const contract =
      "contract: c\ntools: {pay: {effect: external}}\nrules: [{id: gate-before-pay, kind: absence, of: x}]\n";
    const found = await sheet(contract);
    const lines = gapsOf(found).flatMap(({ paste }) => paste?.lines ?? []);
    assert.ok(lines.includes("- id: gate-before-pay-2"), lines.join("\n"));
  });

  it("says what it cannot know without traces", async () => {
    const found = await sheet("contract: c\nrules: [{kind: absence, of: x}]\n");
    assert.equal(found.runs, null);
    assert.match(textsOf(answer(found, 10)).join(), /no traces were given/);
  });

  it("keeps names from becoming markup", async () => {
    const contract = file(
      "contract: c\nrules: [{id: 'a*<b>|', kind: gate, require: a_b, before: c_d}]\n",
      "yaml",
    );
    const { out } = await review(contract, "--format", "markdown");
    assert.match(out, /a\\_b before c\\_d \(a\\\*\\<b\\>\\\|, critical\)/);
  });

  it("refuses traces without --review, a format it has not, and traces without events", async () => {
    const seen = fakeTerminal();
    const terminal = { ...seen.terminal, readFile: (path: string) => readFileSync(path, "utf8") };
    assert.equal(await main(["explain", example, traces], terminal), 2);
    assert.match(seen.err, /traces say nothing about what a rule means/);
    const format = await review(example, "--format", "sarif");
    assert.deepEqual([format.code, /Use text, markdown or json/.test(format.err)], [2, true]);
    const none = await review(example, file("[]", "json"));
    assert.equal(none.code, 2);
  });
});
