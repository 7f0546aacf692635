/**
 * Links whose anchor names several events (`parents`, what a model was told): each element of the list needs a witness
 * of its own, and the anchor is as good as the worst of them (docs/semantics.md 4, "Lists").
 */
import type { Event } from "../../model/event.ts";
import { isArray, type Value } from "../../model/value.ts";
import type { InstanceVerdict } from "../../model/verdict.ts";
import type { Each } from "../program.ts";
import { readPredicate } from "../read.ts";
import type { Match } from "../truth.ts";
import { keyText } from "../values.ts";
import { instance, type Kernel, mayChange } from "./context.ts";
import type { CompiledLink } from "./examine.ts";
import { worseOf } from "./fold.ts";
import type { Key } from "./keys.ts";
import type { Candidates } from "./search.ts";

type JudgeAnchor = (
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  matched: Match,
  key: Key,
  candidates: Candidates,
) => InstanceVerdict;

export function judgeEach(
  compiled: CompiledLink,
  each: Each,
  kernel: Kernel,
  judgeAnchor: JudgeAnchor,
): InstanceVerdict[] {
  const { link } = compiled;
  const find = finder(compiled, each, kernel);
  return kernel.index.candidates(link.anchor).flatMap((a) => {
    const matched = compiled.anchor(a, kernel.match);
    const member = kernel.member(a);
    if (matched.truth === "false" || member.truth === "false") return [];
    const reading = readPredicate(a, each.anchor, kernel.match.settled);
    if (reading.is === "absent") return [];
    if (reading.is === "unknown") {
      const reason = `${each.anchor.join(".")} is not known`;
      const final = !mayChange(kernel, a);
      return [instance({ anchor: a.id, verdict: "inconclusive", code: reading.code, final, reason })];
    }
    const verdicts = elements(reading.value).map((text) =>
      judgeAnchor(
        compiled,
        kernel,
        a,
        matched,
        { is: "known", text: "" },
        { events: find(text, a), bound: link.bind.length === 0 },
      ),
    );
    if (verdicts.length === 0) return [];
    const worst = verdicts.reduce(worseOf);
    if (member.truth === "true") return [worst];
    // Whether the rule speaks of the anchor at all is not known.
    const code = member.code ?? "order_unknown";
    return [{ ...worst, verdict: "inconclusive", code, final: worst.final && !kernel.open }];
  });
}

const elements = (value: Value): readonly string[] => [
  ...new Set((isArray(value) ? value : [value]).flatMap((one) => keyText(one) ?? [])),
];

/** The events that an element can mean. */
function finder(
  { link }: CompiledLink,
  { witness }: Each,
  kernel: Kernel,
): (text: string, from: Event) => readonly Event[] {
  if (witness === "reference") {
    return (text, from) => {
      const meant = kernel.view.order.named?.(text, from) ?? null;
      // Several events may be meant where an id is not unique: any of them will do.
      return meant === null ? kernel.index.events.filter((event) => answersTo(event, text)) : [meant];
    };
  }
  const byText = new Map<string, Set<Event>>();
  for (const event of kernel.index.candidates(link.witness)) {
    for (const path of witness) {
      const reading = readPredicate(event, path, kernel.match.settled);
      const text = reading.is === "value" ? keyText(reading.value) : null;
      if (text === null) continue;
      const known = byText.get(text);
      if (known === undefined) byText.set(text, new Set([event]));
      else known.add(event);
    }
  }
  return (text) => [...(byText.get(text) ?? [])];
}

const answersTo = ({ callId, spans }: Event, text: string): boolean =>
  callId === text || spans.some(({ spanId }) => spanId === text);
