#!/usr/bin/env node
import "./require-node.cjs";

// After the check, and dynamic for it: a static import would be read first, and an old Node cannot.
const { main } = await import("../src/cli/main.ts");
process.exitCode = await main(process.argv.slice(2));
