/** One sentence on why a link came out as it did. Names patterns, paths and codes, never values. */
import type { Code, InstanceVerdict } from "../../model/verdict.ts";
import type { Link } from "../program.ts";

const because: Partial<Record<Code, string>> = {
  witness_late: "it came only afterwards",
  overlap: "it had begun but not finished",
  witness_never_finished: "it never finished",
  wrong_entity: "those there are concern another entity",
  unbound_key: "a key is missing, so nothing can be matched to it",
  wrong_status: "those there ended otherwise",
  missing_attribute: "those there lack an attribute that is asked for",
  expired: "it had expired",
  deadline_missed: "it did not come in time",
  invalidated: "something in between invalidated it",
  blocked: "it was already used up",
  same_decision: "both were asked for by one decision",
  unenforced_order: "the order held, but nothing enforced it",
  order_unknown: "their order cannot be told",
  causal_cycle: "their references contradict each other",
  clock_contradiction: "their clocks were refuted",
  invalid_interval: "a boundary cannot be believed",
  time_out_of_range: "a time is out of range",
  not_captured: "arguments or results were not captured",
  not_kept: "a path was not kept when the events were read",
  data_incomplete: "data that decides it is incomplete",
  scope_unknown: "it is not known yet to whom an event belongs",
  evicted: "events of this scope had to be forgotten",
};

export function reasonOfLink(link: Link, { verdict, code }: InstanceVerdict): string {
  const asked = obligation(link);
  switch (verdict) {
    case "satisfied":
      return `${asked}: holds`;
    case "pending":
      return `${asked}: not yet`;
    default: {
      const why = code === null ? undefined : because[code];
      const said = verdict === "violated" ? "broken" : "cannot be told";
      return why === undefined ? `${asked}: ${said}` : `${asked}: ${said}, ${why}`;
    }
  }
}

function obligation(link: Link): string {
  const [a, w] = [link.anchor.text, link.witness.text];
  if (link.need === "apart")
    return (link.limit ?? 1) > 1 ? `no more than ${link.limit} ${a} at a time` : `no two ${a} overlap`;
  const place = link.need === "past" ? " before" : link.need === "future" ? " after" : " beside";
  const amount = link.quant === "none" ? "no " : link.atLeast > 1 ? `${link.atLeast} ` : "";
  const keys =
    link.bind.length === 0 ? "" : ` of the same ${link.bind.map((b) => b.anchor.join(".")).join(", ")}`;
  return `${amount}${w}${place} ${a}${keys}`;
}
