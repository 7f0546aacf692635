/**
 * Runs every `*.test.ts` under test/ (or the paths given) with node's own runner, and closes with one plain
 * line `N passed, N failed`. Exits 1 when a test failed or when nothing ran.
 */
import { globSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const wanted = process.argv.slice(2);
const files = globSync(wanted.length > 0 ? wanted : ["test/**/*.test.ts"]).sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${wanted.join(" ") || "test/**/*.test.ts"}\n`);
  process.exit(1);
}

let passed = 0;
let failed = 0;
const stream = run({ files: files.map((file) => `${process.cwd()}/${file}`), concurrency: 2, timeout: 600_000 });
stream.on("test:pass", (event) => {
  if (event.details.type !== "suite" && event.skip === undefined) passed += 1;
});
stream.on("test:fail", (event) => {
  if (event.details.type !== "suite") failed += 1;
});
stream.on("end", () => {
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  setImmediate(() => process.stdout.write(`\n${passed} passed, ${failed} failed\n`));
});
stream.compose(new spec()).pipe(process.stdout);
