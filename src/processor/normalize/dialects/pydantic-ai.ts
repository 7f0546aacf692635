/** Pydantic AI. Formats 3 and later write the conventions' names; format 2 and approvals are read here. */
import type { Dialect } from "../dialect.ts";

const deferralKey = "pydantic_ai.tool.deferral.name";

export const pydanticAi: Dialect = {
  name: "pydantic-ai",
  keys: [deferralKey, "pydantic_ai.tool.failure_stage", "final_result", "logfire.span_type", "logfire.msg"],
  role: (view) => {
    if (view.text("logfire.span_type") === "pending_span") return "ignore";
    return view.span.name === "running tool" && view.has("gen_ai.tool.name") ? "tool" : null;
  },
  sources: {
    args: ["tool_arguments"],
    result: ["tool_response"],
    agent: ["agent_name"],
  },
  outcome: (view) => {
    if (view.has(deferralKey)) return "awaiting";
    return view.text("pydantic_ai.tool.failure_stage") === "validation" ? "rejected_invalid" : undefined;
  },
  answer: (view) => view.text("final_result") !== null,
};
