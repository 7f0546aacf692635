/** Keys that two events must share (`bind`). */
import type { Event } from "../../model/event.ts";
import type { Code } from "../../model/verdict.ts";
import type { Bind, Path } from "../pattern.ts";
import { readPredicate } from "../read.ts";
import { because, type Match, yes } from "../truth.ts";
import { keyText } from "../values.ts";

export type Key =
  | { readonly is: "known"; readonly text: string }
  /** A part is null, missing or empty: such a key never matches. */
  | { readonly is: "absent" }
  | { readonly is: "unknown"; readonly code: Code };

type Part = { readonly is: "known"; readonly text: string } | Exclude<Key, { is: "known" }>;

function readPart(event: Event, path: Path, settled: boolean): Part {
  const reading = readPredicate(event, path, settled);
  if (reading.is === "unknown") return reading;
  const text = reading.is === "value" ? keyText(reading.value) : null;
  return text === null ? { is: "absent" } : { is: "known", text };
}

/** The first of these places that holds a value; one that may hold it makes the answer unknown. */
function readFirst(event: Event, paths: readonly Path[], settled: boolean): Part {
  for (const path of paths) {
    const part = readPart(event, path, settled);
    if (part.is !== "absent") return part;
  }
  return { is: "absent" };
}

/** What a witness must share with its anchor. */
export const readWitnessKey = (event: Event, bind: readonly Bind[], settled: boolean): Key =>
  keyOf(bind.map(({ witness, witnessFirst = [] }) => readFirst(event, [...witnessFirst, witness], settled)));

const noKey: Key = { is: "known", text: "" };

/** An absent part decides, since such a key never matches whatever the unknown parts are. */
export function readKey(event: Event, paths: readonly Path[], settled: boolean): Key {
  return keyOf(paths.map((path) => readPart(event, path, settled)));
}

function keyOf(parts: readonly Part[]): Key {
  if (parts.length === 0) return noKey;
  if (parts.some((part) => part.is === "absent")) return { is: "absent" };
  const unknown = parts.find((part) => part.is === "unknown");
  if (unknown !== undefined) return unknown;
  const texts = parts.flatMap((part) => (part.is === "known" ? [part.text] : []));
  return { is: "known", text: texts.length === 1 ? (texts[0] ?? "") : JSON.stringify(texts) };
}

export function bindMatch(anchor: Event, other: Event, bind: readonly Bind[], settled: boolean): Match {
  let result = yes;
  for (const pair of bind) {
    const a = readPart(anchor, pair.anchor, settled);
    const w = readFirst(other, [...(pair.witnessFirst ?? []), pair.witness], settled);
    if (a.is === "absent" || w.is === "absent") return because("false", "unbound_key");
    if (a.is === "unknown" || w.is === "unknown") {
      if (result.truth === "true")
        result = because("unknown", a.is === "unknown" ? a.code : w.is === "unknown" ? w.code : null);
      continue;
    }
    if (a.text !== w.text) return because("false", "wrong_entity");
  }
  return result;
}
