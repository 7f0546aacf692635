import { readFileSync } from "node:fs";

/** This package's version. Source: package.json. */
export const version: string = String(
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version,
);
