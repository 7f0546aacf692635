/** Writes `docs/attributes.md` from the tables of `src/model`; `npm run docs:attributes` puts it in its place. */
import {
  agentEventKind,
  agentEventName,
  plainPrefix,
  startSignalsResource,
} from "../../src/model/attribute-names.ts";
import type { AttributeRow } from "../../src/model/attribute-row.ts";
import { decisionAttributes, signalAttributes } from "../../src/model/attribute-table.ts";
import { effectAttributes } from "../../src/model/attribute-table-effects.ts";

export function attributesPage(): string {
  return `${[
    intro,
    "## Decisions, state and lineage",
    table("field", decisionAttributes),
    "## Effects, resources and evidence",
    table("field", effectAttributes),
    "## Signals",
    signalsIntro,
    table("kind", signalAttributes),
    signalsOutro,
    "## Other attributes",
    others,
    "## Names of your own",
    ownNames,
  ].join("\n\n")}\n`;
}

const setBy: Readonly<Record<AttributeRow["setBy"], string>> = {
  agent: "`toolorder/agent`",
  code: "your code",
  "agent or code": "`toolorder/agent`, from what your code hands it",
};

function table(first: string, rows: readonly AttributeRow[]): string {
  const lines = rows.map(({ is, names, type, unit, example, means, readBy, ...row }) => {
    const cells = [
      names.map(code).join(", "),
      code(is),
      type,
      unit ?? "–",
      setBy[row.setBy],
      code(example),
      means,
      readBy,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `| attribute | ${first} | type | unit | who sets it | example | what it says | read by |`,
    "|---|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const code = (text: string): string => `\`${text}\``;

const intro = `# Attributes

Written from \`src/model/attribute-table.ts\` and \`src/model/attribute-table-effects.ts\` by \`npm run docs:attributes\`;
change it there.

No standard names a decision, a causal parent or a version of state. These attributes, on any span or span event, become
fields of its event. Of several names the first that is there counts; the first is the one to write. Texts, numbers and
booleans may come as any of them where an exporter makes text of everything; lists may come as JSON text. A rule reads a
field by its name (\`seq\`, \`bind: [resource]\`), whatever attribute it came by.

A span that does not say has \`run_id\`, \`turn\`, \`seq\`, \`decision\` and \`base_version\` of the nearest span around it that
does, as it has conversation and agent. \`seq\`, \`decision\` and \`base_version\` are not handed down from an agent run, nor
from a tool call: what is decided and called in there are decisions of its own.`;

const signalsIntro = `A span or span event becomes a signal by \`${agentEventKind}\`, or by a
[mapping](dialects.md#anything-else). These attributes are a signal beside what their span is, so that it needs none of
its own: \`true\` or any text says that it happened, \`false\` that it did not.`;

const signalsOutro = `A \`user_turn\` and a \`resume\` happen at the span's start. The others happened somewhere between its start and its
end, and no nearer than that: where a rule asks whether that was before something inside the same span, the answer is
unknown. Give a cancellation a span event of its own (\`${agentEventKind}=cancel_requested\`) and its time is exact.`;

const others = `| attribute | on | says |
|---|---|---|
| \`${agentEventKind}\` | span, span event | it is a signal of [that kind](semantics.md#2-events); its fields are the attributes above |
| \`${agentEventName}\` | span, span event | the name of such a signal |
| \`${startSignalsResource}\` | resource | its processes say when a tool call begins (\`toolorder/agent\` does), so a call that has not been told of has not begun |
| \`${plainPrefix}<field>\` | span | the span is one [plain event](plain-events.md), and this a field of it |`;

const ownNames = `An agent that has such attributes under other names needs no change:

\`\`\`yaml
processors:
  toolorder:
    identity:
      seq: house.decision.number
      turn: [house.turn, agent.turn.id]
      cancel_requested: house.abort
\`\`\`

A field or a kind of signal of the tables above → one attribute, or several of which the first that is there counts. They
stand **instead of** the built-in names of that field: list those too where both are written. \`toolorder/agent\` writes
the first built-in name of each.`;
