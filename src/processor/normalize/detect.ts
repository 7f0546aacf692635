/**
 * What a span is (attributes before names): the first family that can say decides, a tool's own marks outvote it, and
 * a span's name is the last resort. Attributes that a baggage processor may stamp on any span decide nothing.
 */
import type { Dialect, Role } from "./dialect.ts";
import { claudeCode } from "./dialects/claude-code.ts";
import { genai } from "./dialects/genai.ts";
import { genkit } from "./dialects/genkit.ts";
import { googleAdk } from "./dialects/google-adk.ts";
import { laminar } from "./dialects/laminar.ts";
import { langfuse } from "./dialects/langfuse.ts";
import { mastra } from "./dialects/mastra.ts";
import { mcp } from "./dialects/mcp.ts";
import { openinference } from "./dialects/openinference.ts";
import { pydanticAi } from "./dialects/pydantic-ai.ts";
import { strands } from "./dialects/strands.ts";
import { traceloop } from "./dialects/traceloop.ts";
import { vercelAi } from "./dialects/vercel-ai.ts";
import type { View } from "./view.ts";

/** In the order in which their role is asked. */
const byDetection: readonly Dialect[] = [
  langfuse,
  mastra,
  pydanticAi,
  googleAdk,
  claudeCode,
  openinference,
  mcp,
  genai,
  traceloop,
  genkit,
  laminar,
  vercelAi,
  strands,
];

/** In the order in which their fields win: MCP's envelope around the conventions, then SDKs' own, then third parties. */
export const byPrecedence: readonly Dialect[] = [
  mcp,
  genai,
  vercelAi,
  pydanticAi,
  googleAdk,
  strands,
  claudeCode,
  mastra,
  openinference,
  laminar,
  traceloop,
  genkit,
  langfuse,
];

export interface Detection {
  readonly role: Role;
  readonly dialect: string;
}

/** Spans around several calls, and copies of what other spans say. */
const groupNames = new Set([
  "running tools",
  "execute_tool (merged)",
  "orchestrate_tools",
  "ResponseStreamWriter",
]);

/** Span names that say it, with what follows as the tool's name. */
const toolNames: readonly { readonly pattern: RegExp; readonly dialect: string }[] = [
  { pattern: /^execute_tool (\S.*)$/, dialect: "genai" },
  { pattern: /^ai\.toolCall$/, dialect: "vercel-ai" },
  { pattern: /^(?!claude_code\.)([^\s.]+)\.tool$/, dialect: "traceloop" },
  { pattern: /^(?:MCP send )?tools\/call (\S.*)$/, dialect: "mcp" },
  { pattern: /^MCP request: tools\/call (\S.*)$/, dialect: "mcp" },
  { pattern: /^langchain4j\.tools\.(\S+)$/, dialect: "genai" },
];

/** `present`: the dialects that have an attribute on the span; the others have nothing to say about it. */
export function detect(view: View, present: ReadonlySet<Dialect>): Detection | null {
  if (groupNames.has(view.span.name)) return { role: "ignore", dialect: "genai" };
  for (const dialect of byDetection) {
    if (!present.has(dialect)) continue;
    const role = dialect.role(view);
    if (role === null) continue;
    const marked = role !== "tool" && role !== "ignore" && role !== "handoff" && hasToolMark(view);
    return { role: marked ? "tool" : role, dialect: namedDialect(view, dialect.name) };
  }
  if (present.size > 0 && hasToolMark(view)) return { role: "tool", dialect: namedDialect(view, "genai") };
  const byName = toolNames.find(({ pattern }) => pattern.test(view.span.name));
  if (byName === undefined) return null;
  return { role: "tool", dialect: namedDialect(view, byName.dialect) };
}

/** Two families may disagree about a span (an "agent" in a tool's name): what only a tool call has wins. */
function hasToolMark(view: View): boolean {
  return (
    view.has("tool.name") ||
    view.has("tool.id") ||
    ((view.has("gen_ai.tool.name") || view.has("gen_ai.tool.call.id")) && !isModelOperation(view)) ||
    view.has("ai.toolCall.name") ||
    view.text("langsmith.span.kind") === "tool"
  );
}

function isModelOperation(view: View): boolean {
  const role = genai.role(view);
  return role !== null && role !== "tool";
}

/** A framework that writes the conventions' names and is known by something else is reported by its own name. */
function namedDialect(view: View, found: string): string {
  if (found !== "genai") return found;
  const scope = view.span.scope.name;
  if (scope === "gcp.vertex.agent") return "google-adk";
  if (scope === "gen_ai") return "vercel-ai";
  if (scope === "pydantic-ai") return "pydantic-ai";
  if (scope.startsWith("@traceloop/") || scope.startsWith("opentelemetry.instrumentation.langchain")) {
    return "traceloop";
  }
  return view.has("gen_ai.event.start_time") ? "strands" : found;
}

/** The tool's name as the span's name gives it; null when it gives none. */
export function nameFromSpan(view: View): string | null {
  for (const { pattern } of toolNames) {
    const name = pattern.exec(view.span.name)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
