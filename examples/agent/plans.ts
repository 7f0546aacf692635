import type { Call, Plan } from "./agent.ts";

const call = (tool: string, parts: Partial<Call> = {}): Call => ({
  tool,
  args: { customer: "cus_204" },
  takes: 20,
  gives: { ok: "yes" },
  ...parts,
});

const resolve = call("resolve_customer", { args: { name: "Northwind" } });
const approved = call("check_requester_authorization", { gives: "approved" });
const denied = call("check_requester_authorization", { gives: "denied" });
const readPlan = call("get_customer_plan", { takes: 35 });
const readPolicy = call("retrieve_entitlement_policy", { takes: 30 });
const policyFails = call("retrieve_entitlement_policy", { fails: "Timeout" });
const checkFeature = call("check_feature_entitlement");

const question = "Does this customer have advanced audit logs?";
const answer = "Yes, advanced audit logs are part of their plan.";

/** One plan a way of getting it right or wrong; each call list is one turn of the model. */
export const plans: readonly Plan[] = [
  {
    name: "good",
    question,
    turns: [[resolve], [approved], [readPlan], [readPolicy], [checkFeature]],
    answer,
  },
  {
    name: "incident",
    question,
    turns: [[resolve], [readPlan], [approved], [readPolicy], [checkFeature]],
    answer,
  },
  {
    name: "denied-then-approved",
    question,
    turns: [[resolve], [denied], [readPlan], [approved]],
    answer,
  },
  {
    name: "retry",
    question,
    turns: [[resolve], [approved], [policyFails], [readPlan], [readPolicy], [checkFeature]],
    answer,
  },
  {
    name: "parallel",
    question: "How do I turn on advanced audit logs?",
    turns: [
      [call("retrieve_product_docs", { takes: 25 }), call("retrieve_policy_docs", { takes: 60 })],
      [call("synthesize_answer")],
    ],
    answer: "Open the admin console, then Security, then Audit.",
  },
];
