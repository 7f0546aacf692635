/** `npm run docs:attributes`: puts docs/attributes.md in step with its tables. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attributesPage } from "./attributes-page.ts";
import { repositoryRoot } from "./repository.ts";

writeFileSync(join(repositoryRoot, "docs/attributes.md"), attributesPage());
