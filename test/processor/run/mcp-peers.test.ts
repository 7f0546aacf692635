import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientKeys, serverKey } from "../../../src/processor/run/mcp-peers.ts";
import { everything } from "../../captures/judge-run.ts";
import { tool } from "../assemble/make-facts.ts";
import { at, makeSpan, type SpanSketch } from "../normalize/make-span.ts";

const fact = (name: string, sketch: SpanSketch) =>
  everything.normalize(
    makeSpan(tool(name, { ...sketch, attributes: { "mcp.method.name": "tools/call" } })),
    at(60_000),
    null,
  );
const client = (start: number, end: number | null, name = "f") =>
  clientKeys(fact(name, { kind: 3, start, end }));
const server = (start: number, sketch: SpanSketch = {}) =>
  serverKey(fact("f", { kind: 2, start, ...sketch }));

describe("traces that may hold the two ends of one MCP call", () => {
  it("meet in the second in which the server began, inside the client's time", () => {
    assert.ok(client(2_500, 4_100).includes(server(3_900) ?? ""));
    assert.ok(!client(2_500, 4_100).includes(server(6_000) ?? ""));
  });
  it("meet though the server's stamp is floored before the client's", () => {
    assert.ok(client(3_000, 3_200).includes(server(2_999.5) ?? ""));
  });
  it("meet under a server's prefix", () => assert.ok(client(0, 10, "mcp__crm__f").includes(server(5) ?? "")));
  it("do not exist for a server that was given a parent, nor for other spans", () => {
    assert.equal(server(5, { parent: "client" }), null);
    assert.deepEqual(clientKeys(fact("f", { kind: 2 })), []);
    assert.equal(serverKey(fact("f", { kind: 3 })), null);
  });
  it("are bounded for a client that runs for days", () => {
    assert.ok(client(0, 172_800_000).length <= 66);
    assert.equal(client(0, null).length, 2);
  });
});
