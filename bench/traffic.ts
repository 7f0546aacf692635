/**
 * Agent traffic for benchmarks, the same for the same seed: runs of 50 spans in which three in ten are events
 * (an agent run, three model turns, eleven tool calls) and the rest what instrumented services send besides
 * (HTTP clients, database queries), every span with the attributes that such spans carry.
 */
import type { Attributes, Resource, Scope, Span } from "../src/model/span.ts";
import { type UnixNano, unixNano } from "../src/model/time.ts";
import type { Value } from "../src/model/value.ts";

export const spansPerRun = 50;
export const eventsPerRun = 15;

/** In the order in which every run calls them; the rules of the benchmark speak of these. */
export const tools: readonly string[] = [
  "resolve_customer",
  "check_requester_authorization",
  "load_catalog",
  "get_customer_plan",
  "search_policies",
  "collect_diagnostic_context",
  "create_support_ticket",
  "record_acknowledgement",
  "create_enrollment",
  "send_confirmation",
  "close_ticket",
];

const resources: readonly Resource[] = ["support-agent", "enrollment", "gateway", "catalog"].map(
  (name, index) => ({
    attributes: new Map<string, Value>([
      ["service.name", name],
      ["service.version", "2.14.1"],
      ["service.instance.id", `${name}-7c9d6b-${index}`],
      ["deployment.environment.name", "production"],
      ["host.name", `node-${index}`],
      ["process.pid", 41_000 + index],
      ["telemetry.sdk.language", "nodejs"],
    ]),
    droppedAttributes: 0,
  }),
);

const scopes: readonly Scope[] = [
  "agent-runtime",
  "@opentelemetry/instrumentation-http",
  "@opentelemetry/instrumentation-pg",
].map((name) => ({ name, version: "0.60.0", attributes: new Map() }));

/** Small and fast, with a period far beyond what is drawn here (Marsaglia's xorshift, 32 bits). */
function randomNumbers(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

/** `runs` whole runs whose spans lie in the hour before `until`, shuffled as exporters would. */
export function agentRuns(runs: number, seed: number, until: UnixNano): readonly Span[] {
  const next = randomNumbers(seed);
  const spans = Array.from({ length: runs }, () => oneRun(next, until)).flat();
  for (let at = spans.length - 1; at > 0; at -= 1) {
    const other = next() % (at + 1);
    const [a, b] = [spans[at], spans[other]];
    if (a !== undefined && b !== undefined) [spans[at], spans[other]] = [b, a];
  }
  return spans;
}

function oneRun(next: () => number, until: UnixNano): readonly Span[] {
  const hex = (digits: number): string => {
    let text = "";
    while (text.length < digits) text += next().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  };
  const traceId = hex(32);
  const conversation = `conversation-${hex(12)}`;
  const customer = `cus_${hex(10)}`;
  const start = until - 3_600_000_000_000n + BigInt(next() % 3_000_000) * 1_000_000n;
  const spans: Span[] = [];

  const add = (
    name: string,
    parent: string,
    at: number,
    tookMs: number,
    attributes: Attributes,
    side = 0,
  ): string => {
    const spanId = hex(16);
    spans.push({
      traceId,
      spanId,
      parentSpanId: parent,
      flags: 0x101,
      traceState: "",
      name,
      kind: side === 0 ? 1 : 3,
      start: unixNano(start + BigInt(at) * 1_000_000n),
      end: unixNano(start + BigInt(at + tookMs) * 1_000_000n + BigInt(next() % 999_000)),
      attributes,
      droppedAttributes: 0,
      events: [],
      droppedEvents: 0,
      links: [],
      droppedLinks: 0,
      statusCode: 1,
      statusMessage: "",
      resource: resources[side === 0 ? 0 : next() % resources.length] ?? noResource,
      scope: scopes[side] ?? noScope,
    });
    return spanId;
  };

  const common: readonly (readonly [string, Value])[] = [
    ["gen_ai.conversation.id", conversation],
    ["gen_ai.agent.name", "support"],
    ["tenant.id", `tenant-${next() % 50}`],
  ];
  const root = add(
    "invoke_agent support",
    "",
    0,
    20_000,
    new Map([["gen_ai.operation.name", "invoke_agent"], ...common]),
  );
  for (let turn = 0; turn < 3; turn += 1)
    add(`chat model-${turn % 2}`, root, 100 + turn * 6_000, 900, modelTurn(common, next));
  for (const [index, tool] of tools.entries()) {
    const at = 1_200 + index * 1_500;
    const parent = add(
      `execute_tool ${tool}`,
      root,
      at,
      400 + (next() % 600),
      toolCall(tool, customer, hex(24), common),
    );
    for (let inner = 0; inner < 3; inner += 1) {
      const side = 1 + (next() % 2);
      add(
        side === 1 ? "GET" : "SELECT plans",
        parent,
        at + 20 + inner * 100,
        60,
        side === 1 ? http(next) : query(next),
        side,
      );
    }
  }
  while (spans.length < spansPerRun) add("GET", root, 18_000, 40, http(next), 1);
  return spans;
}

function toolCall(
  tool: string,
  customer: string,
  id: string,
  common: readonly (readonly [string, Value])[],
): Attributes {
  return new Map<string, Value>([
    ["gen_ai.operation.name", "execute_tool"],
    ["gen_ai.tool.name", tool],
    ["gen_ai.tool.call.id", `call_${id}`],
    ["gen_ai.tool.type", "function"],
    ["gen_ai.tool.description", "Looks up or changes what the customer has, and says what it found."],
    [
      "gen_ai.tool.call.arguments",
      JSON.stringify({ customer_id: customer, plan_id: `plan_${id.slice(0, 6)}`, dry_run: false }),
    ],
    [
      "gen_ai.tool.call.result",
      JSON.stringify({ status: "approved", allowed: true, items: [id.slice(0, 8), id.slice(8, 16)] }),
    ],
    ...common,
  ]);
}

function modelTurn(common: readonly (readonly [string, Value])[], next: () => number): Attributes {
  return new Map<string, Value>([
    ["gen_ai.operation.name", "chat"],
    ["gen_ai.provider.name", "example"],
    ["gen_ai.request.model", "model-large-2"],
    ["gen_ai.response.model", "model-large-2-0901"],
    ["gen_ai.response.id", `resp-${next()}`],
    ["gen_ai.usage.input_tokens", 1_000 + (next() % 3_000)],
    ["gen_ai.usage.output_tokens", next() % 400],
    ["gen_ai.response.finish_reasons", ["tool_call"]],
    ["gen_ai.request.temperature", 0.2],
    ...common,
  ]);
}

function http(next: () => number): Attributes {
  return new Map<string, Value>([
    ["http.request.method", "GET"],
    ["url.full", `https://catalog.internal/v2/plans/${next()}?fields=id,name,price`],
    ["server.address", "catalog.internal"],
    ["server.port", 443],
    ["http.response.status_code", 200],
    ["network.protocol.version", "1.1"],
    ["network.peer.address", `10.0.${next() % 256}.${next() % 256}`],
    ["user_agent.original", "support-agent/2.14.1 (node)"],
  ]);
}

function query(next: () => number): Attributes {
  return new Map<string, Value>([
    ["db.system.name", "postgresql"],
    ["db.namespace", "plans"],
    ["db.operation.name", "SELECT"],
    [
      "db.query.text",
      "SELECT id, name, price, valid_from FROM plans WHERE customer_id = $1 AND valid_to IS NULL",
    ],
    ["db.response.returned_rows", next() % 20],
    ["server.address", "plans-db.internal"],
    ["server.port", 5_432],
    ["db.client.connection.pool.name", "plans-read"],
  ]);
}

const noResource: Resource = { attributes: new Map(), droppedAttributes: 0 };
const noScope: Scope = { name: "", version: "", attributes: new Map() };
