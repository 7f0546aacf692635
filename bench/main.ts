/**
 * `npm run bench [-- --quick]` — how fast, as ratios within one run, each with the spread of its rounds. Absolute
 * numbers are printed beside them and mean little on another machine; no number here fails a build.
 */
import { cpus } from "node:os";
import { benchDecode } from "./decode.ts";
import { benchEndToEnd } from "./end-to-end.ts";
import { benchRules } from "./rule-scale.ts";
import { asCount, asRatio } from "./spread.ts";

const quick = process.argv.includes("--quick");
const unknown = process.argv.slice(2).filter((argument) => argument !== "--quick");
if (unknown.length > 0) {
  process.stderr.write(
    `unknown argument ${unknown.join(" ")}: the only one is --quick, a short run to see it work\n`,
  );
  process.exit(2);
}

const print = (line = ""): void => {
  process.stdout.write(`${line}\n`);
};

print(
  `Node.js ${process.versions.node}, ${cpus()[0]?.model ?? "unknown CPU"}${quick ? ", quick: numbers are rough" : ""}`,
);
print("middle (least–most) over rounds");
print();

for (const row of await benchDecode(quick ? 3 : 9)) {
  print(`decode ${row.name}: ${asRatio(row.ratio)}`);
  print(`  ${asCount(row.ours)} ns a span, against ${asCount(row.theirs)}`);
}
print();

const size = quick ? { rounds: 2, requests: 4 } : { rounds: 7, requests: 40 };
const { perCpuSecond, costOf, judged, ...run } = await benchEndToEnd(size);
print(
  `from HTTP to verdict: ${run.spans.toLocaleString("en-US")} spans, ${run.spansARequest} a request, ` +
    `${Math.round(run.events * 100)} % of them events, ${run.rules} rules, one process, gzip`,
);
print(`  ${run.bytes.protobuf.toFixed(0)} bytes a span in protobuf, ${run.bytes.gzip.toFixed(0)} as sent`);
print(`  spans per CPU-second, to the verdict         ${asCount(perCpuSecond.judge)}`);
print(`  spans per CPU-second, decoded and dropped    ${asCount(perCpuSecond.decode)}`);
print(`  spans per CPU-second, JSON.parse and dropped ${asCount(perCpuSecond.json)}`);
print(`  CPU time of the service : of decoding alone      ${asRatio(costOf.decode)}`);
print(`  CPU time of the service : of JSON.parse alone    ${asRatio(costOf.json)}`);
print(
  `  judged: ${judged.calls.toLocaleString("en-US")} calls, ${judged.violations.toLocaleString("en-US")} violations, ` +
    `${judged.inconclusive.toLocaleString("en-US")} inconclusive`,
);
print();

const scale = benchRules(
  quick
    ? { rounds: 1, runs: 100, rules: [10, 100, 1_000] }
    : { rounds: 3, runs: 400, rules: [10, 100, 1_000, 10_000] },
);
print("what rules cost, the core alone: CPU microseconds an event, from facts to the final verdict");
print("  rules     one in ten about the event        two about the event, whatever the number");
for (const { rules, tenth, two } of scale.rows) {
  print(`  ${rules.toLocaleString("en-US").padEnd(9)} ${asCount(tenth).padEnd(33)} ${asCount(two)}`);
}
const [few, many] = [10, 1_000].map((rules) => scale.rows.find((row) => row.rules === rules));
if (few !== undefined && many !== undefined) {
  print(
    `  1,000 rules : 10, two of them about the event    ${(many.two.middle / few.two.middle).toFixed(2)}×`,
  );
}
print("bytes of heap that an open run of ten calls holds for one rule, by its form");
print(`  ${"no rule about it".padEnd(18)} ${Math.round(scale.bare).toLocaleString("en-US")} in all`);
for (const { form, aRun } of scale.bytes) {
  print(`  ${form.padEnd(18)} ${aRun < 0 ? "" : "+"}${Math.round(aRun).toLocaleString("en-US")}`);
}
