#!/usr/bin/env node
// Plain JavaScript of the oldest kind, so that an old Node can at least say that it is old.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 6)) {
  process.stderr.write(
    `toolorder needs Node.js 24.6 or newer, this is ${process.versions.node}: run it through npm (npm start), which brings its own, or install a newer Node.js\n`,
  );
  process.exit(2);
}
const { main } = await import("../src/cli/main.ts");
process.exitCode = await main(process.argv.slice(2));
