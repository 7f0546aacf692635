/** Fields of RULES 2 that a span states itself: by the `agent.*` attributes, its resource and its sender. */
import { agentFields } from "../../model/attribute-names.ts";
import type { Value } from "../../model/value.ts";
import { isPresent } from "./values.ts";
import type { View } from "./view.ts";

/** Lists among the fields; JSON text of a list is one too. */
const lists = new Set(["parents"]);

export function statedFields(view: View, source: string | null): Map<string, Value> {
  const fields = new Map<string, Value>();
  const put = (name: string, value: Value | undefined): void => {
    if (isPresent(value)) fields.set(name, value);
  };
  for (const [field, keys] of agentFields) {
    for (const key of keys) {
      const value = lists.has(field) ? view.json(key) : view.raw(key);
      if (!isPresent(value)) continue;
      fields.set(field, value);
      break;
    }
  }
  const resource = view.span.resource.attributes;
  put("service", resource.get("service.name"));
  put("environment", resource.get("deployment.environment.name") ?? resource.get("deployment.environment"));
  put("source", source ?? undefined);
  put("scope_name", view.span.scope.name);
  put("span_name", view.span.name);
  return fields;
}
