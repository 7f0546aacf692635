// Plain JavaScript of the oldest kind, so that an old Node can at least say that it is old. Loaded before
// anything that needs type stripping: by bin/toolorder.js, and by the npm scripts with `node -r`.
"use strict";

var parts = process.versions.node.split(".").map(Number);
// Below npm the package `node` should have come first in PATH; that it did not means that its install script,
// which fetches the binary, has not run.
var cure = process.env.npm_lifecycle_event
  ? "allow the install script of the npm package `node` and run `npm rebuild node`"
  : "run it through npm (npm start), which brings its own";

if (parts[0] < 24 || (parts[0] === 24 && parts[1] < 6)) {
  process.stderr.write(
    "toolorder needs Node.js 24.6 or newer, this is " +
      process.versions.node +
      ": " +
      cure +
      ", or install a newer Node.js\n",
  );
  process.exit(2);
}
