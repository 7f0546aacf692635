import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { declarations } from "../../src/telemetry/metrics.ts";
import { metricsPage } from "../../src/telemetry/metrics-page.ts";
import { repositoryRoot } from "../support/repository.ts";

describe("docs/metrics.md", () => {
  it("is in step with the declarations", () => {
    const page = readFileSync(join(repositoryRoot, "docs/metrics.md"), "utf8");
    assert.equal(page, metricsPage(), "run npm run docs:metrics");
  });

  it("tells of every metric how to read it", () => {
    const page = metricsPage();
    assert.ok(declarations.length > 30);
    for (const { name, reading } of declarations) {
      assert.ok(page.includes(`### ${name}\n`), name);
      assert.ok(page.includes(`**How to read it.** ${reading}`), name);
    }
  });
});

describe("the declarations", () => {
  it("follow Prometheus' rules for names and units", () => {
    for (const { name, type, unit, help, buckets, labels, capped } of declarations) {
      assert.equal(name.endsWith("_total"), type === "counter", name);
      assert.equal(unit === "s" && !name.endsWith("_seconds"), false, name);
      assert.equal(unit === "By" && !/_bytes(_total)?$/.test(name), false, name);
      assert.equal(buckets !== undefined, type === "histogram", name);
      assert.match(help, /[.`]$|\.$/, name);
      for (const label of capped ?? []) assert.ok(labels.includes(label), name);
    }
    assert.equal(new Set(declarations.map(({ name }) => name)).size, declarations.length);
  });

  it("label nothing with an id from traffic", () => {
    const forbidden = /trace|session|conversation|call_id|user|span_id|^run$|^id$/;
    for (const { name, labels } of declarations) {
      assert.deepEqual(
        labels.filter((label) => forbidden.test(label)),
        [],
        name,
      );
    }
  });

  it("cap every label whose values come from traffic", () => {
    const fromTraffic = new Set(["tool", "service", "agent"]);
    for (const { name, labels, capped } of declarations) {
      for (const label of labels.filter((each) => fromTraffic.has(each))) {
        assert.ok(capped?.includes(label), `${name} does not cap ${label}`);
      }
    }
  });
});
