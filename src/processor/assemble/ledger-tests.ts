import type { Event } from "../../model/event.ts";
import type { Code } from "../../model/verdict.ts";
import type { EffectLedger } from "../../rules/ledger.ts";
import { compilePattern } from "../../rules/match.ts";
import type { Pattern } from "../../rules/pattern.ts";
import { type CompiledTest, compileTest } from "../../rules/value-test.ts";

/** A call that the ledger is about. */
export interface Matched {
  /** Why that is not sure; null: it is. */
  readonly unsure: Code | null;
}

/** Null: not a call of that sort. */
type CallTest = (event: Event) => Matched | null;

export interface LedgerTests {
  readonly tool: CallTest;
  readonly intent: CallTest;
  readonly lookup: CallTest;
  readonly notFound: CallTest | null;
  readonly compensation: CallTest;
  readonly claim: CallTest;
  readonly finalErrors: readonly CompiledTest[];
}

const compiled = new WeakMap<EffectLedger, LedgerTests>();

export function compileLedger(ledger: EffectLedger): LedgerTests {
  const known = compiled.get(ledger);
  if (known !== undefined) return known;
  const made: LedgerTests = {
    tool: tried(testOf(ledger.tool)),
    intent: testOf(ledger.intent),
    lookup: testOf(ledger.lookup),
    notFound: ledger.notFound === null ? null : testOf(ledger.notFound),
    compensation: testOf(ledger.compensation),
    claim: testOf(ledger.claim),
    finalErrors: ledger.finalErrors.map((test) => compileTest(test, ["error_class"])),
  };
  compiled.set(ledger, made);
  return made;
}

function testOf(pattern: Pattern | null): CallTest {
  if (pattern === null) return () => null;
  const test = compilePattern(pattern);
  return (event) => {
    if (event.kind.startsWith("effect_")) return null;
    const { truth, code } = test(event);
    return truth === "false" ? null : { unsure: truth === "unknown" ? (code ?? "data_incomplete") : null };
  };
}

/** What was refused before it ran was tried all the same; what was only asked for, or waits for a person, was not. */
function tried(test: CallTest): CallTest {
  return (event) => {
    if (event.status === "requested" || event.status === "awaiting") return null;
    return test(event.status === "rejected_invalid" ? { ...event, status: "refused" } : event);
  };
}
