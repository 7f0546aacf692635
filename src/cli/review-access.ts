/** Questions 1 to 3: what is sensitive, what acts, and what stands before either. */

import { counted, gap, type Item, note, ok, type Subject } from "./review-item.ts";
import { gatePaste, type Paste, patternYaml, toolPattern, word } from "./review-paste.ts";
import {
  acts,
  demandsOf,
  type Gate,
  gatesBefore,
  isEnforced,
  mentions,
  namesOutcome,
  ruleName,
} from "./review-rules.ts";

export function sensitiveTools(subject: Subject): readonly Item[] {
  const { set, tools } = subject;
  const sensitive = tools.filter((tool) => set.tools.get(tool)?.access === "sensitive");
  const likely = tools.filter(
    (tool) => set.tools.get(tool)?.access == null && soundsSensitive.test(tool) && soundsLike.read.test(tool),
  );
  return [
    ...sensitive.map((tool) => guarded(subject, tool)),
    ...(sensitive.length === 0 ? [note("no tool is declared sensitive (access: sensitive)")] : []),
    ...likely.map((tool) =>
      gap(
        `${tool} sounds as if it read what not everybody may see, and its access is not declared`,
        toolPaste(subject, tool, "access: sensitive"),
      ),
    ),
  ];
}

export function effects(subject: Subject): readonly Item[] {
  const { set, tools } = subject;
  const acting = tools.filter((tool) => acts(set.tools.get(tool)));
  const unknown = tools.filter((tool) => (set.tools.get(tool)?.effect ?? "unknown") === "unknown");
  return [
    ...acting.map((tool) => guarded(subject, tool)),
    ...(acting.length === 0 ? [note("no tool is declared to act outside (effect: write or external)")] : []),
    ...unknown.map((tool) =>
      gap(`what ${tool} does is not declared`, toolPaste(subject, tool, `effect: ${likelyEffect(tool)}`)),
    ),
  ];
}

/** One entry of `tools:`, with the traits that are known already; null where that would lose some. */
function toolPaste({ set, contract }: Subject, tool: string, trait: string): Paste | null {
  const known = set.tools.get(tool);
  if (known !== undefined && (known.outcome.size > 0 || known.slot?.is === "paths")) return null;
  const [added = ""] = trait.split(":");
  const traits = Object.entries({
    access: known?.access ?? null,
    effect: known === undefined || known.effect === "unknown" ? null : known.effect,
    resource: known?.resource?.join(".") ?? null,
    reads: known?.reads ?? null,
    idempotent: known?.idempotent ?? null,
    compensable: known?.compensable ?? null,
    cancel: known?.cancel ?? null,
    slot: known?.slot?.is ?? null,
    note: known?.note ?? null,
  }).flatMap(([name, value]) =>
    value === null || name === added ? [] : [`${name}: ${typeof value === "boolean" ? value : word(value)}`],
  );
  const lines = [`${word(tool)}: {${[...traits, trait].join(", ")}}`];
  return { under: "tools", replaces: contract.tools.has(tool), lines };
}

const soundsSensitive =
  /customer|account|user|plan|bill|pay|person|profile|salar|medic|patient|secret|credential|contact/i;
const soundsLike = {
  read: /^(?:get|read|fetch|find|list|search|lookup|look_up|retrieve|load|query|show|view|check|resolve|describe)(?:[_\-.A-Z]|$)/,
  write: /^(?:update|set|save|store|edit|change|put|patch|write|assign|close|reopen)(?:[_\-.A-Z]|$)/,
  external:
    /^(?:create|send|delete|remove|cancel|charge|refund|transfer|pay|book|order|post|publish|notify|page|escalate|deploy|submit|open|issue|email)(?:[_\-.A-Z]|$)/,
};

/** A proposal by the name alone: a person looks at it before it is pasted. */
function likelyEffect(tool: string): "read" | "write" | "external" | "none" {
  if (soundsLike.read.test(tool)) return "read";
  if (soundsLike.write.test(tool)) return "write";
  return soundsLike.external.test(tool) ? "external" : "none";
}

function guarded(subject: Subject, tool: string): Item {
  const { set, traffic } = subject;
  const traits = set.tools.get(tool);
  const what = [
    ...(traits?.access === "sensitive" ? ["sensitive"] : []),
    ...(traits === undefined || traits.effect === "unknown" ? [] : [traits.effect]),
  ].join(", ");
  const before = gatesBefore(subject.contract.rules, tool);
  const times =
    traffic === null ? "" : `; ${counted(traffic.tools.get(tool)?.calls ?? 0, "call")} in the traces`;
  const head = `${tool} (${what})`;
  if (before.length > 0) return ok(`${head}: ${before.map(gateText).join(", ")}${times}`);
  return gap(`${head}: nothing stands before it${times}`, missingGate(subject, tool));
}

const gateText = ({ text, rule }: Gate): string =>
  `${text} (${ruleName(rule)}${isEnforced(rule) ? "" : rule.stage === "trial" ? ", on trial" : ", a preference"})`;

const soundsLikeCheck = /auth|permi|approv|consent|verif|allow|polic|acknowledg/i;

/** The proof is a check that the contract knows, or an approval by a person. */
function missingGate(subject: Subject, tool: string): Paste {
  const check = subject.tools.find(
    (name) => name !== tool && soundsLikeCheck.test(name) && !acts(subject.set.tools.get(name)),
  );
  return gatePaste(
    {
      id: `gate-before-${tool}`,
      require: check === undefined ? "{kind: approval}" : toolPattern(check, "success"),
      before: toolPattern(tool),
      severity: "critical",
      category: "safety_gate",
      why: `${tool} must not run before ${check === undefined ? "somebody approved it" : `${check} has allowed it`}.`,
    },
    subject.taken,
  );
}

export function gates(subject: Subject): readonly Item[] {
  const risky = subject.tools.filter((tool) => {
    const traits = subject.set.tools.get(tool);
    return traits?.access === "sensitive" || acts(traits);
  });
  const rules = subject.contract.rules.filter(
    (rule) => rule.category === "safety_gate" || risky.some((tool) => mentions(rule, tool)),
  );
  const items = rules.flatMap((rule) =>
    demandsOf(rule.program).map((link): Item => {
      const text = `${link.witness.text} before ${link.anchor.text} (${ruleName(rule)})`;
      const keys = link.bind.map(({ anchor }) => anchor.join("."));
      if (namesOutcome(link.witness)) {
        return ok(keys.length === 0 ? text : `${text}, for the same ${keys.join(" and ")}`);
      }
      const require = patternYaml(link.witness, ["status: success"]);
      const before = patternYaml(link.anchor);
      return gap(
        `${text}: a failed or refused call counts too`,
        require === null || before === null || keys.length > 0
          ? null
          : gatePaste(
              {
                id: `${rule.id}-succeeded`,
                require,
                before,
                severity: rule.severity,
                category: rule.category,
                why: `A failed call of ${link.witness.text} proves nothing.`,
              },
              subject.taken,
            ),
      );
    }),
  );
  return items.length > 0 ? items : [note("no rule stands before what is sensitive or acts")];
}
