/** A tool's own words for how it went: results that refine a success (docs/rules.md, trait `outcome`). */
import { type Event, readField, type Status } from "../../model/event.ts";
import type { ToolTraits } from "../../rules/rule.ts";
import { type CompiledTest, compileTest } from "../../rules/value-test.ts";
import { statusNamed } from "../normalize/dialects/plain.ts";

interface Refinement {
  readonly status: Status | null;
  /**
   * The tool's own word, where docs/semantics.md 2 has none (`existing`, `in_progress`): becomes the field
   * `disposition`.
   */
  readonly word: string;
  readonly tests: readonly { readonly path: readonly string[]; readonly test: CompiledTest }[];
}

const compiled = new WeakMap<ToolTraits, readonly Refinement[]>();

/** What a call's tool is declared to mean: the resource that it works on, and how it went. */
export function refineByTraits(event: Event, tools: ReadonlyMap<string, ToolTraits>): Event {
  const traits = event.name === null ? undefined : tools.get(event.name);
  return traits === undefined ? event : refineOutcome(withResource(event, traits), traits);
}

/** The field `resource`, so that calls of several tools share it; what the call says itself wins. */
function withResource(event: Event, { resource }: ToolTraits): Event {
  if (resource === null || event.fields.has("resource")) return event;
  const reading = readField(event, resource);
  if (reading.is === "value")
    return { ...event, fields: new Map([...event.fields, ["resource", reading.value]]) };
  const root = resource[0] ?? "";
  const late = event.unsettled.has(root) ? { unsettled: new Set([...event.unsettled, "resource"]) } : {};
  const missing = root === "args" && event.args === undefined ? "not_captured" : null;
  const code = reading.is === "unknown" ? reading.code : missing;
  return code === null
    ? { ...event, ...late }
    : { ...event, ...late, hidden: new Map([...event.hidden, ["resource", code]]) };
}

function refineOutcome(event: Event, traits: ToolTraits): Event {
  if (event.status !== "success" || traits.outcome.size === 0) return event;
  for (const { status, word, tests } of refinementsOf(traits)) {
    const met = tests.every(({ path, test }) => test(readField(event, path)).truth === "true");
    if (!met) continue;
    if (status !== null) return { ...event, status };
    return event.fields.has("disposition")
      ? event
      : { ...event, fields: new Map([...event.fields, ["disposition", word]]) };
  }
  return event;
}

function refinementsOf(traits: ToolTraits): readonly Refinement[] {
  const known = compiled.get(traits);
  if (known !== undefined) return known;
  const made = [...traits.outcome].map(
    ([word, tests]): Refinement => ({
      status: statusNamed(word),
      word,
      tests: tests.map(({ path, test }) => ({ path, test: compileTest(test, path) })),
    }),
  );
  compiled.set(traits, made);
  return made;
}
