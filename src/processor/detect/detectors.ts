/**
 * The table of all detectors (docs/causality.md). One that is added here is run, its field is set before rules
 * judge, and what it finds is counted and recorded once: nothing else has to be touched but its metric.
 */
import { staleApplied } from "./applied.ts";
import { callbacks } from "./callbacks.ts";
import type { DetectInput, Detector, Finding } from "./detector.ts";
import { staleEffect, staleResult } from "./stale.ts";
import { versionConflict } from "./version-conflict.ts";

export const detectors: readonly Detector[] = [
  staleResult,
  staleEffect,
  staleApplied,
  versionConflict,
  callbacks,
];

export function detectAll(input: DetectInput): readonly Finding[] {
  const found: Finding[] = [];
  for (const detector of detectors) found.push(...detector.find(input, found));
  return found;
}
