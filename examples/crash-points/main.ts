/**
 * Runs the eight: four crash points, each resumed carefully and carelessly.
 *
 *   node examples/crash-points/main.ts [FOLDER]
 *
 * Leaves what was sent in the folder, one `.jsonl` a run, for
 * `toolorder check --contracts examples/crash-points/contract.yaml FOLDER/accepted-careless.jsonl`.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crashAndResume, points, ways } from "./crash.ts";

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "crash-points-"));
for (const point of points) {
  for (const way of ways) {
    const { enrollments } = await crashAndResume(point, way, folder);
    process.stdout.write(`${point.padEnd(18)} ${way.padEnd(9)} enrollments made: ${enrollments.length}\n`);
  }
}
process.stdout.write(`\nspans in ${folder}\n`);
