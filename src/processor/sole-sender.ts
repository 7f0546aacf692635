import type { Pattern, ValueTest } from "../rules/pattern.ts";
import type { Program } from "../rules/program.ts";
import type { Rule } from "../rules/rule.ts";
import type { Sender } from "./run/numbered.ts";

/**
 * The one sender that everything which may decide a rule can come from: witnesses, blockers, counted events, steps
 * and guards all name one `service`, or one `source`. Only there do a sender's numbers tell that nothing is missing
 * (docs/semantics.md 7). Null: they may come from elsewhere, or need not be spans of their own.
 */
export function soleSender({ scope, program }: Rule): Sender | null {
  if (scope.is !== "run") return null;
  return common(deciding(program).map(senderOf));
}

/** Patterns of the events whose absence could decide. */
function deciding(program: Program): readonly Pattern[] {
  switch (program.kernel) {
    case "link":
      return [program.witness, ...program.unlessBetween.map(({ match }) => match)];
    case "count":
      return [program.of];
    case "machine":
      return program.unlisted === "violate" ? [] : program.transitions.map(({ on }) => on);
    case "fold":
      return program.parts.flatMap(deciding);
    case "guard":
      return [program.if, ...deciding(program.then)];
    case "stretch":
      return [program.after, program.before].filter((each) => each !== null).concat(deciding(program.then));
  }
}

/** Kinds that are whole spans: what a span event carries comes only when the span around it ends. */
const spans = new Set(["tool_call", "retrieval", "model_turn", "agent_run", "step", "final_answer"]);

function senderOf(pattern: Pattern): Sender | null {
  if (pattern.kinds === null || ![...pattern.kinds].every((kind) => spans.has(kind))) {
    return pattern.anyOf.length > 0 ? common(pattern.anyOf.map(senderOf)) : null;
  }
  for (const field of ["service", "source"] as const) {
    const stated = pattern.tests.find(({ path }) => path.length === 1 && path[0] === field);
    const value = stated === undefined ? null : exactly(stated.test);
    if (value !== null) return { field, value };
  }
  return null;
}

function common(senders: readonly (Sender | null)[]): Sender | null {
  const [first] = senders;
  if (first === undefined || first === null) return null;
  return senders.every((each) => each?.field === first.field && each.value === first.value) ? first : null;
}

function exactly(test: ValueTest): string | null {
  return test.op === "equals" && typeof test.value === "string" ? test.value : null;
}
