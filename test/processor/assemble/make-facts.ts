/** Facts for tests, made of spans by the real normaliser. */
import type { CloseReason } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import { type Assembly, assemble } from "../../../src/processor/assemble/assemble.ts";
import type { ToolTraits } from "../../../src/rules/rule.ts";
import { everything, storeFacts } from "../../captures/judge-run.ts";
import { at, makeSpan, type SpanSketch } from "../normalize/make-span.ts";

/** A tool span of the GenAI conventions. */
export function tool(
  name: string,
  sketch: SpanSketch & { readonly callId?: string; readonly args?: Value } = {},
): SpanSketch {
  const { callId, args, ...rest } = sketch;
  return {
    status: 1,
    ...rest,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      ...(callId === undefined ? {} : { "gen_ai.tool.call.id": callId }),
      ...(args === undefined ? {} : { "gen_ai.tool.call.arguments": args }),
      ...rest.attributes,
    },
  };
}

export interface SketchedAsk {
  readonly id?: string;
  readonly name: string;
  readonly args?: Value;
}

/** A model turn that asks for calls, and whose input holds the last exchange before it. */
export function chat(
  asks: readonly SketchedAsk[],
  sketch: SpanSketch & {
    readonly told?: readonly (SketchedAsk & { readonly answer?: Value; readonly isError?: boolean })[];
  } = {},
): SpanSketch {
  const { told, ...rest } = sketch;
  const part = (ask: SketchedAsk): Value => ({
    type: "tool_call",
    ...(ask.id === undefined ? {} : { id: ask.id }),
    name: ask.name,
    arguments: ask.args ?? {},
  });
  const answered = (told ?? []).filter((ask) => ask.answer !== undefined);
  const output =
    asks.length > 0
      ? [{ role: "assistant", parts: asks.map(part) }]
      : [{ role: "assistant", parts: [{ type: "text", content: "done" }] }];
  const input =
    told === undefined
      ? []
      : [
          { role: "assistant", parts: told.map(part) },
          {
            role: "tool",
            parts: answered.map((ask) => ({
              type: "tool_call_response",
              ...(ask.id === undefined ? {} : { id: ask.id }),
              response: ask.answer ?? null,
              is_error: ask.isError ?? false,
            })),
          },
        ];
  return {
    ...rest,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.output.messages": JSON.stringify(output),
      "gen_ai.input.messages": JSON.stringify(input),
      ...rest.attributes,
    },
  };
}

export function agent(name: string, sketch: SpanSketch = {}): SpanSketch {
  return {
    ...sketch,
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, ...sketch.attributes },
  };
}

export function assembleSpans(
  spans: readonly SpanSketch[],
  options: { readonly closed?: CloseReason | null; readonly tools?: ReadonlyMap<string, ToolTraits> } = {},
): Assembly {
  const facts = spans.map((span) => everything.normalize(makeSpan(span), at(60_000), null));
  const closed = options.closed === undefined ? "input_end" : options.closed;
  return assemble({ facts: storeFacts(facts), tools: options.tools ?? new Map(), closed: () => closed });
}

export function calls(assembly: Assembly): readonly Event[] {
  return assembly.events.filter((event) => event.kind === "tool_call");
}
