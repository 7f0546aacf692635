/** `npm run docs:schema`: puts docs/contract.schema.json in step with the loader of contracts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractSchemaText } from "../../src/rules/contract-schema.ts";
import { repositoryRoot } from "./repository.ts";

writeFileSync(join(repositoryRoot, "docs/contract.schema.json"), contractSchemaText());
