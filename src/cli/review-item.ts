/** What a review sheet is made of, and what its questions are answered from. */
import type { JudgedRun } from "../processor/report.ts";
import type { Contract, RuleSet } from "../rules/rule.ts";
import type { Paste } from "./review-paste.ts";
import type { Traffic } from "./review-traffic.ts";

export interface Review {
  readonly contract: string;
  readonly file: string;
  readonly owner: string | null;
  /** Recorded runs that were looked at; null without traces. */
  readonly runs: number | null;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly number: number;
  readonly title: string;
  readonly items: readonly Item[];
}

/** `ok`: answered by a rule. `gap`: nothing answers it. `note`: what a person should know. */
export interface Item {
  readonly mark: "ok" | "gap" | "note";
  readonly text: string;
  readonly paste: Paste | null;
}

/** What every question is answered from. */
export interface Subject {
  readonly contract: Contract;
  readonly set: RuleSet;
  /** Every tool that the contract declares, names, or that the runs show; in this order, each once. */
  readonly tools: readonly string[];
  readonly traffic: Traffic | null;
  readonly runs: readonly JudgedRun[];
  /** Ids that a pasted rule must not take; grows with what is proposed. */
  readonly taken: Set<string>;
}

export const ok = (text: string): Item => ({ mark: "ok", text, paste: null });
export const note = (text: string): Item => ({ mark: "note", text, paste: null });
export const gap = (text: string, paste: Paste | null = null): Item => ({ mark: "gap", text, paste });

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
