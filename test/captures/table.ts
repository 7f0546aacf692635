/**
 * `node test/captures/table.ts` — framework by framework, how many recorded runs come out with the calls that
 * the tools themselves recorded, and with the right verdict. Every run that differs is listed with what is missing
 * from its spans.
 */
import { captureExceptions } from "./exceptions.ts";
import { assembleClosed, differences, everything, factsOf } from "./judge-run.ts";
import { jsonRequests, type RecordedRun, recordedRuns } from "./runs.ts";
import { planVerdicts, trueVerdicts } from "./verdicts.ts";

interface Row {
  readonly run: RecordedRun;
  /** `ok`, `session` (only the session is missing) or `differs`. */
  readonly calls: string;
  /** `ok`, or what came out instead; `open` where the stamps allow several orders. */
  readonly verdict: string;
}

function rowOf(run: RecordedRun): Row {
  const found = differences(run, assembleClosed(factsOf(jsonRequests(run, everything.plan))));
  const onlySession = found.length > 0 && found.every((line) => line.includes(": session "));
  const calls = found.length === 0 ? "ok" : onlySession ? "session" : "differs";
  const wanted = [...trueVerdicts(run)].sort().join(" ");
  const got = planVerdicts(({ plan }) => jsonRequests(run, plan))
    .map((instance) => instance.verdict)
    .sort()
    .join(" ");
  const open = run.truth.from_spans !== undefined && got !== "violated";
  const right = got === wanted ? "ok" : got === "" ? "nothing to judge" : got;
  return { run, calls, verdict: right === "ok" || !open ? right : `open: ${right}` };
}

const rows = recordedRuns().map(rowOf);
const out: string[] = [
  "| framework | runs | calls right | verdict right | left open by the stamps |",
  "| --- | --- | --- | --- | --- |",
];
for (const [framework, own] of Map.groupBy(rows, (row) => row.run.framework)) {
  const calls = own.filter((row) => row.calls !== "differs").length;
  const verdicts = own.filter((row) => row.verdict === "ok").length;
  const open = own.filter((row) => row.verdict.startsWith("open")).length;
  out.push(`| ${framework} | ${own.length} | ${calls} | ${verdicts} | ${open} |`);
}
out.push("", "| run | calls | verdict | missing from its spans |", "| --- | --- | --- | --- |");
for (const { run, calls, verdict } of rows) {
  if (calls === "ok" && verdict === "ok") continue;
  const fast = run.truth.from_spans === undefined ? "" : "an order inside the clock's millisecond";
  out.push(`| ${run.name} | ${calls} | ${verdict} | ${captureExceptions.get(run.name)?.missing ?? fast} |`);
}
console.log(out.join("\n"));
