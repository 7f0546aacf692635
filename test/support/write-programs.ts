/** `npm run update:programs`: writes anew what the rules of test/rules/programs compile to. Look at the difference. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rulesOf, written } from "../rules/programs/written.ts";
import { repositoryRoot } from "./repository.ts";

const folder = join(repositoryRoot, "test/rules/programs");
writeFileSync(join(folder, "compiled.txt"), `${rulesOf("rules.txt").map(written).join("\n")}\n`);
writeFileSync(join(folder, "refusals.txt"), `${rulesOf("refused.txt").map(written).join("\n")}\n`);
