/** OTel's MCP conventions: `tools/call` on the client and on the server, two spans of one call. */
import type { Dialect } from "../dialect.ts";
import { mcpResult } from "../envelopes.ts";

const methodKey = "mcp.method.name";
const resultKey = "gen_ai.tool.call.result";

export const mcp: Dialect = {
  name: "mcp",
  keys: [methodKey, "rpc.method", "mcp.session.id", "jsonrpc.request.id"],
  role: (view) => {
    const method = view.text(methodKey);
    if (method === null) return null;
    return method === "tools/call" ? "tool" : "ignore";
  },
  sources: {
    result: [(view) => (view.has(methodKey) ? mcpResult(view.json(resultKey))?.result : undefined)],
  },
  failed: (view) => view.has(methodKey) && mcpResult(view.json(resultKey))?.isError === true,
  side: (view) => {
    if (view.text(methodKey) !== "tools/call") return null;
    return view.span.kind === 2 ? "server" : view.span.kind === 3 ? "client" : null;
  },
};
