/**
 * A small agent that enrolls somebody: it asks whether it may, waits for a person, records what it intends, calls the
 * provider, and keeps a checkpoint of how far it has come. Its spans are sent one by one, as they end.
 *
 *   node examples/crash-points/agent.ts --checkpoint FILE --otlp URL --provider URL [--stop POINT] [--resume careful|careless]
 *
 * With `--stop` it halts at that point for good, and says so on standard output: whoever started it kills it there.
 * With `--resume` it goes on from its checkpoint. The careful way looks up what became of the call before it makes
 * another, and asks again whether it may; the careless way does neither, and takes a new key.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Context, ROOT_CONTEXT, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const { values } = parseArgs({
  options: {
    checkpoint: { type: "string" },
    otlp: { type: "string" },
    provider: { type: "string" },
    stop: { type: "string" },
    resume: { type: "string" },
  },
});

interface Checkpoint {
  readonly conversation: string;
  readonly request: string;
  /** Present once an intent is recorded. */
  readonly key?: string;
  readonly done: "authorized" | "approved" | "intended" | "enrolled";
}

const file = values.checkpoint ?? "checkpoint.json";
const user = "u-17";
const plan = "gold";
const inputHash = createHash("sha256").update(`${user} ${plan}`).digest("hex").slice(0, 16);

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({
    "service.name": "enrollment-agent",
    "host.name": "example",
    "process.pid": process.pid,
  }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: values.otlp ?? "" }))],
});
const tracer: Tracer = provider.getTracer("enrollment-agent");

/** Halts here, as far as anybody can see; the timer only keeps the process there. */
async function stopAt(point: string): Promise<void> {
  if (values.stop !== point) return;
  process.stdout.write(`stopped at ${point}\n`);
  await new Promise(() => setInterval(() => undefined, 60_000));
}

function save(checkpoint: Checkpoint): Checkpoint {
  writeFileSync(file, JSON.stringify(checkpoint));
  return checkpoint;
}

/** One tool call, as a span of OpenTelemetry's GenAI conventions; sent before the agent goes on. */
async function tool<T extends object>(
  parent: Context,
  name: string,
  args: object,
  work: () => Promise<T> | T,
): Promise<T> {
  const span = tracer.startSpan(
    `execute_tool ${name}`,
    {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        // A root that never ends is never sent: each span says for itself whose it is.
        "gen_ai.conversation.id": from.conversation,
        "gen_ai.tool.call.id": randomUUID(),
        "gen_ai.tool.call.arguments": JSON.stringify(args),
      },
    },
    parent,
  );
  const result = await work();
  span.setAttribute("gen_ai.tool.call.result", JSON.stringify(result));
  span.end();
  await provider.forceFlush();
  return result;
}

async function signal(parent: Context, kind: string): Promise<void> {
  tracer
    .startSpan(
      kind,
      { attributes: { "agent.event.kind": kind, "gen_ai.conversation.id": from.conversation } },
      parent,
    )
    .end();
  await provider.forceFlush();
}

const authorize = (parent: Context) =>
  tool(parent, "authorize_enrollment", { user_id: user, plan_id: plan }, () => ({ allowed: true }));

async function approve(parent: Context): Promise<void> {
  await stopAt("approval_pending");
  await tool(parent, "human_approval", { action: "create_enrollment", plan_id: plan }, () => ({
    approved: true,
  }));
}

async function intend(parent: Context, from: Checkpoint): Promise<Checkpoint & { readonly key: string }> {
  const key = `${from.request}:${randomUUID()}`;
  const args = { idempotency_key: key, request_id: from.request, input_hash: inputHash };
  await tool(parent, "record_intent", args, () => ({ recorded: true }));
  const intended = { ...from, key, done: "intended" } as const;
  save(intended);
  return intended;
}

async function enroll(parent: Context, from: Checkpoint & { readonly key: string }): Promise<void> {
  await stopAt("before_call");
  const args = {
    user_id: user,
    plan_id: plan,
    request_id: from.request,
    idempotency_key: from.key,
    input_hash: inputHash,
  };
  await tool(parent, "create_enrollment", args, async () => {
    const response = await fetch(`${values.provider}/enrollments`, {
      method: "POST",
      body: JSON.stringify({ key: from.key, request: from.request }),
    });
    return (await response.json()) as object;
  });
  await stopAt("before_checkpoint");
  save({ ...from, done: "enrolled" });
}

interface Lookup {
  readonly found: boolean;
}

function find(parent: Context, args: { readonly idempotency_key: string } | { readonly request_id: string }) {
  return tool(parent, "find_enrollment", args, async () => {
    const asked = "request_id" in args ? `request=${args.request_id}` : `key=${args.idempotency_key}`;
    const response = await fetch(`${values.provider}/enrollments?${asked}`);
    return (await response.json()) as Lookup;
  });
}

/** From the beginning. */
async function begin(parent: Context, from: Checkpoint): Promise<void> {
  await authorize(parent);
  save(from);
  await approve(parent);
  const approved = save({ ...from, done: "approved" });
  await enroll(parent, await intend(parent, approved));
}

/** Looks before it acts, and asks again whether it may: while nobody ran, things may have changed. */
async function resumeCarefully(parent: Context, from: Checkpoint): Promise<void> {
  if (from.done === "enrolled") return;
  if (from.done === "authorized") await approve(parent);
  if (from.key !== undefined && (await find(parent, { idempotency_key: from.key })).found) {
    save({ ...from, done: "enrolled" });
    return;
  }
  await authorize(parent);
  await enroll(parent, from.key === undefined ? await intend(parent, from) : { ...from, key: from.key });
}

/** Goes on as if nothing had happened. */
async function resumeCarelessly(parent: Context, from: Checkpoint): Promise<void> {
  if (from.done === "enrolled") return;
  if (from.done === "authorized") await approve(parent);
  await enroll(parent, await intend(parent, from));
}

const fresh: Checkpoint = { conversation: randomUUID(), request: randomUUID(), done: "authorized" };
const from: Checkpoint = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Checkpoint) : fresh;
const root = tracer.startSpan(
  "invoke_agent enrollment",
  {
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "enrollment",
      "gen_ai.conversation.id": from.conversation,
    },
  },
  ROOT_CONTEXT,
);
const inside = trace.setSpan(ROOT_CONTEXT, root);
if (values.resume === undefined) await begin(inside, from);
else {
  await signal(inside, "resume");
  if (values.resume === "careful") await resumeCarefully(inside, from);
  else await resumeCarelessly(inside, from);
}
// Whoever answers says what the provider says, not what it believes.
await find(inside, { request_id: from.request });
tracer
  .startSpan(
    "chat scripted-1",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": from.conversation,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.output.messages": JSON.stringify([
          {
            role: "assistant",
            parts: [{ type: "text", content: "You are enrolled." }],
            finish_reason: "stop",
          },
        ]),
      },
    },
    inside,
  )
  .end();
root.end();
await provider.shutdown();
