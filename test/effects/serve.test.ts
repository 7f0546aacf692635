/** Effects over the wire: spans with HTTP requests below them in, gauges and counters out. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hours, seconds } from "../../src/model/time.ts";
import { type RunningService, runService } from "../support/running-service.ts";

const contract = `
contract: shop
effects:
  - {id: pay, tool: charge, lookup: find, key: key, request: args.order}
`;

/** 2026-01-01T02:00:00Z, what the service's clock shows at the start. */
const base = BigInt(Date.UTC(2026, 0, 1, 2)) * 1_000_000n;
const trace = "0af7651916cd43dd8448eb211c80319c";

interface Spec {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly kind?: number;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed?: boolean;
}

function span({ id, parent, name, kind = 1, from, to, attributes, failed }: Spec): object {
  const at = (second: number): string => (base + BigInt(Math.round(second * 1e9))).toString();
  return {
    traceId: trace,
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: at(from),
    endTimeUnixNano: at(to),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: `${value}` } : { stringValue: value },
    })),
    ...(failed === true ? { status: { code: 2 } } : {}),
  };
}

const tool = (id: string, name: string, from: number, to: number, failed = false): object =>
  span({
    id,
    parent: "00000000000000aa",
    name: `execute_tool ${name}`,
    from,
    to,
    failed,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.conversation.id": "c1",
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": JSON.stringify({ order: "R1" }),
      ...(failed ? { "error.type": "timeout" } : { "gen_ai.tool.call.result": "{}" }),
    },
  });

const root = span({
  id: "00000000000000aa",
  name: "invoke_agent shop",
  from: 0,
  to: 45,
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "shop",
    "gen_ai.conversation.id": "c1",
  },
});

/** A request with its idempotency key, answered or not. */
const request = (
  id: string,
  parent: string,
  key: string,
  from: number,
  to: number,
  status?: number,
): object =>
  span({
    id,
    parent,
    name: "POST",
    kind: 3,
    from,
    to,
    failed: status === undefined,
    attributes: {
      "http.request.method": "POST",
      "url.full": "https://pay.example/charges",
      "http.request.header.idempotency-key": key,
      ...(status === undefined ? { "error.type": "ECONNRESET" } : { "http.response.status_code": status }),
    },
  });

describe("effects, served", () => {
  let service: RunningService;
  before(async () => {
    service = await runService({
      contracts: [{ file: "shop.yaml", text: contract }],
      settings: { idleTimeout: hours(2) },
    });
  });
  after(() => service.close());

  async function send(...spans: readonly object[]): Promise<void> {
    const body = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeSpans: [{ spans }],
        },
      ],
    };
    const response = await fetch(service.tracesUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    await service.pass(seconds(30));
  }

  const open = async (state: string): Promise<number> =>
    (await service.metrics()).sum("toolorder_effects_open", { state });

  it("have all their series from the start", async () => {
    const metrics = await service.metrics();
    for (const state of ["intended", "in_flight", "unknown", "needs_reconciliation"]) {
      assert.equal(metrics.series("toolorder_effects_open", { state }).length, 1);
      assert.equal(metrics.series("toolorder_effects_open_oldest_seconds", { state }).length, 1);
    }
    assert.equal(metrics.series("toolorder_effect_anomalies_total", { kind: "blind_retry" }).length, 1);
  });

  it("a request that nobody answered is open, whatever the tool's span calls it", async () => {
    await send(
      tool("00000000000000b1", "charge", 0, 1, true),
      request("00000000000000b2", "00000000000000b1", "K1", 0.1, 0.9),
    );

    assert.equal(await open("unknown"), 1);
    const { samples } = await service.metrics();
    const age = samples.find(
      ({ name, labels }) => name === "toolorder_effects_open_oldest_seconds" && labels.state === "unknown",
    );
    assert.ok((age?.value ?? 0) >= 29, `${age?.value}`);
  });

  it("and the retry under another key is a blind one, once no lookup can have been before it", async () => {
    await send(
      tool("00000000000000c1", "charge", 40, 41),
      request("00000000000000c2", "00000000000000c1", "K2", 40.1, 40.9, 201),
    );
    assert.equal((await service.metrics()).sum("toolorder_effect_anomalies_total"), 0);
    await send(root);

    const metrics = await service.metrics();
    assert.equal(metrics.sum("toolorder_effect_anomalies_total", { kind: "blind_retry" }), 1);
    assert.equal(metrics.sum("toolorder_violations_total", { rule: "pay.lookup_before_retry" }), 1);
    assert.equal(await open("unknown"), 1);
  });

  it("until a lookup under the first key", async () => {
    await send(
      tool("00000000000000d1", "find", 80, 81),
      request("00000000000000d2", "00000000000000d1", "K1", 80.1, 80.9, 200),
    );

    assert.equal(await open("unknown"), 0);
  });
});
