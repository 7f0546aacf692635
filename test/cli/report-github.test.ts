/** Annotations are read here as the runner reads them: line by line, then unescaped. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeData, escapeProperty } from "../../src/cli/report-github.ts";
import fc from "../support/properties.ts";
import {
  brokenRun,
  exampleLine,
  exampleTrace,
  gateContract,
  keptRun,
  runCheck,
  undecidedRun,
  workFolder,
} from "./check-run.ts";

const folder = workFolder();

interface Command {
  readonly command: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly message: string;
}

function commandsOf(out: string): readonly Command[] {
  return out.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith("::")) return [];
    const end = line.indexOf("::", 2);
    assert.ok(end > 0, line);
    const head = line.slice(2, end);
    const space = head.indexOf(" ");
    const pairs = head
      .slice(space + 1)
      .split(",")
      .map((pair): [string, string] => [
        pair.slice(0, pair.indexOf("=")),
        unescaped(pair.slice(pair.indexOf("=") + 1)),
      ]);
    return [
      { command: head.slice(0, space), properties: new Map(pairs), message: unescaped(line.slice(end + 2)) },
    ];
  });
}

function unescaped(text: string): string {
  return text
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%25", "%");
}

async function judge(contract: string, events: string) {
  const { out, code } = await runCheck({
    contracts: [folder.write("rule.yaml", contract)],
    traces: [folder.write("events.json", events)],
    format: "github",
  });
  return { out, code, commands: commandsOf(out) };
}

describe("check, as GitHub annotations", () => {
  it("marks the contract's line and tells the whole finding", async () => {
    const { out, code } = await runCheck({ format: "github", traces: [exampleTrace("incident.json")] });
    assert.equal(code, 1);
    const [one, ...more] = commandsOf(out);
    assert.equal(more.length, 0);
    assert.equal(one?.command, "error");
    assert.deepEqual(Object.fromEntries(one?.properties ?? []), {
      file: "examples/customer-access/contract.yaml",
      line: String(exampleLine("auth-gate")),
      col: "5",
      title: "critical: auth-gate",
    });
    assert.match(one?.message ?? "", /^authorization gate violated\nRun: incident\n01\. resolve_customer /);
    assert.match(one?.message ?? "", /\nExpected: check_requester_authorization \(result: approved\) before/);
    assert.match(out, /\nBlocking: 1\n/);
  });

  const levels: readonly {
    readonly contract: string;
    readonly events: string;
    readonly is: string | undefined;
  }[] = [
    { contract: gateContract("critical"), events: brokenRun, is: "error" },
    { contract: gateContract("high"), events: brokenRun, is: "error" },
    { contract: gateContract("medium"), events: brokenRun, is: "warning" },
    { contract: gateContract("low"), events: brokenRun, is: "notice" },
    { contract: gateContract("critical", ", stage: trial"), events: brokenRun, is: "notice" },
    { contract: gateContract("critical", ", class: preference"), events: brokenRun, is: "notice" },
    { contract: gateContract("critical"), events: undecidedRun, is: "warning" },
    { contract: gateContract("low"), events: undecidedRun, is: "notice" },
    { contract: gateContract("critical"), events: keptRun, is: undefined },
  ];
  for (const { contract, events, is } of levels) {
    const rule = /severity: (.*)}/.exec(contract)?.[1];
    const run = events === brokenRun ? "broken" : events === keptRun ? "kept" : "undecided";
    it(`makes ${is ?? "nothing"} of a ${run} rule that is ${rule}`, async () => {
      const { commands } = await judge(contract, events);
      assert.equal(commands[0]?.command, is);
    });
  }

  it("puts the worst first", async () => {
    const contract = `${gateContract("low")}  - {id: s, kind: gate, require: A, before: B, severity: critical}\n`;
    const { commands } = await judge(contract, brokenRun);
    assert.deepEqual(
      commands.map(({ command }) => command),
      ["error", "notice"],
    );
  });

  it("lets no name from traffic become a command", async () => {
    const name = "x\n::error::gotcha\r::set-output name=a::b%0A::warning::c";
    const { out, commands } = await judge(
      gateContract("high"),
      JSON.stringify([
        { name: "B", run: name },
        { name: "A", run: name },
      ]),
    );
    assert.equal(commands.length, 1);
    assert.ok(commands[0]?.message.includes("::error::gotcha"));
    assert.ok(!out.includes("\r"));
  });
});

describe("the escaping of annotations", () => {
  const piece = fc.constantFrom("%", "\r", "\n", ":", ",", "%0A", "%25", "=", "x");
  const text = fc.array(piece, { maxLength: 10 }).map((list) => list.join(""));

  it("keeps data in one line and gives it back", () => {
    fc.assert(
      fc.property(text, (data) => {
        assert.doesNotMatch(escapeData(data), /[\r\n]/);
        assert.equal(
          escapeData(data).replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%"),
          data,
        );
      }),
    );
  });

  it("keeps a property from ending early", () => {
    fc.assert(
      fc.property(text, (value) => {
        assert.doesNotMatch(escapeProperty(value), /[\r\n:,]/);
        assert.equal(unescaped(escapeProperty(value)), value);
      }),
    );
  });
});
