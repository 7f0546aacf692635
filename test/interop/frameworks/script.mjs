/** What the model of every program says, decision by decision: the tools it asks for, then its answer. */
export const decisions = [
  [{ id: "call_1", name: "resolve_customer", args: { name: "Northwind" } }],
  [
    { id: "call_2", name: "check_requester_authorization", args: { customer_id: "cus_204" } },
    { id: "call_3", name: "retrieve_policy", args: { customer_id: "cus_204" } },
  ],
  [{ id: "call_4", name: "get_customer_plan", args: { customer_id: "cus_204" } }],
];

export const answer = "They have the enterprise plan.";

/** The tools, by name: each takes a moment and gives a fact. */
export const results = {
  resolve_customer: { customer_id: "cus_204" },
  check_requester_authorization: { status: "approved" },
  retrieve_policy: { policy: "p-7" },
  get_customer_plan: { plan: "enterprise" },
};

export async function work(name) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return results[name];
}
