/** Wrappers that frameworks put around a tool's own arguments or result. Each is named by its maker. */
import { isArray, isObject, member, type Value } from "../../model/value.ts";
import { firstBlock } from "./message-parts.ts";
import { decodeValue, firstText, isPresent } from "./values.ts";

/** LangChain's ToolMessage, serialised: the only place where the call id stands. */
export interface ToolMessage {
  readonly callId: string | null;
  readonly name: string | null;
  readonly status: "success" | "error" | null;
  readonly content: Value | undefined;
}

export function langchainToolMessage(value: Value | undefined): ToolMessage | null {
  const outer = member(value, "output");
  const message = isObject(outer) ? outer : value;
  const lc = member(message, "kwargs");
  const body = isObject(lc) ? lc : message;
  const callId = firstText(body, "tool_call_id");
  if (callId === null || !isObject(body)) return null;
  const status = firstText(body, "status");
  const content = member(body, "content");
  return {
    callId,
    name: firstText(body, "name"),
    status: status === "success" || status === "error" ? status : null,
    content: isPresent(content) ? decodeValue(content).value : undefined,
  };
}

/** MCP's own result: `{content: [{type: "text", text}], structuredContent, isError}`; null for anything else. */
export function mcpResult(
  value: Value | undefined,
): { readonly result: Value | undefined; readonly isError: boolean } | null {
  if (!isObject(value)) return null;
  const content = member(value, "content");
  const structured = member(value, "structuredContent");
  const isError = member(value, "isError") === true;
  if (!isArray(content) && structured === undefined) return null;
  return { result: structured ?? firstBlock(content), isError };
}

/** OpenLLMetry's `traceloop.entity.input`, in the shapes of its decorators, its MCP and its LangChain packages. */
export function traceloopArguments(value: Value | undefined): Value | undefined {
  if (!isObject(value)) return value;
  const inner = member(value, "arguments");
  if (member(value, "tool_name") !== undefined && inner !== undefined) return inner;
  const inputs = member(value, "inputs");
  const inputText = member(value, "input_str");
  if (inputText !== undefined || (inputs !== undefined && member(value, "tags") !== undefined)) {
    return isPresent(inputs) ? inputs : isPresent(inputText) ? decodeValue(inputText).value : undefined;
  }
  const kwargs = member(value, "kwargs");
  const args = member(value, "args");
  const keys = Object.keys(value);
  if (!keys.every((key) => key === "args" || key === "kwargs") || keys.length === 0) return value;
  if (isObject(kwargs) && Object.keys(kwargs).length > 0) return kwargs;
  if (isArray(args) && args.length === 1) return decodeValue(args[0] ?? null).value;
  if (isArray(args) && args.length > 1) return args;
  return isObject(kwargs) ? kwargs : value;
}

/** OpenLLMetry's LangChain package: `{output, kwargs}`. */
export function traceloopLangchainResult(value: Value | undefined): Value | undefined {
  const keys = isObject(value) ? Object.keys(value) : [];
  const wrapped = keys.includes("output") && keys.every((key) => key === "output" || key === "kwargs");
  return wrapped ? decodeMember(value, "output") : value;
}

/** OpenLLMetry's MCP package: `{result, is_error}`. */
export function traceloopMcpResult(value: Value | undefined): Value | undefined {
  const keys = isObject(value) ? Object.keys(value) : [];
  const wrapped = keys.includes("result") && keys.every((key) => key === "result" || key === "is_error");
  return wrapped ? decodeMember(value, "result") : value;
}

function decodeMember(value: Value | undefined, key: string): Value | undefined {
  const inner = member(value, key);
  return inner === undefined || inner === null ? undefined : decodeValue(inner).value;
}
