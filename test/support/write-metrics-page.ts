/** `npm run docs:metrics`: puts docs/metrics.md in step with the declarations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsPage } from "../../src/telemetry/metrics-page.ts";
import { repositoryRoot } from "./repository.ts";

writeFileSync(join(repositoryRoot, "docs/metrics.md"), metricsPage());
