import type { AlertOutput, RuleRef } from "../model/output.ts";
import type { DurationNano, UnixNano } from "../model/time.ts";

/**
 * `toolorder_alert_active`: 1 while a rule has a standing violation, or a critical rule an inconclusive, that
 * became final less than `hold` ago. State, not an event: it survives until its hold is over, so that a
 * scrape and an evaluation in between are sure to see it (docs/metrics.md#toolorder_alert_active).
 */
export interface Alerts {
  /** `contract, rule, reason` → what stands. */
  readonly standing: Map<string, Standing>;
}

interface Standing {
  readonly rule: RuleRef;
  readonly reason: "violated" | "inconclusive";
  /** Verdict id → when it became final, oldest first. */
  readonly since: Map<string, UnixNano>;
  /** The newest of them. */
  last: UnixNano;
}

export function createAlerts(): Alerts {
  return { standing: new Map() };
}

export function raise(
  alerts: Alerts,
  rule: RuleRef,
  reason: Standing["reason"],
  id: string,
  at: UnixNano,
): AlertOutput[] {
  const key = keyOf(rule, reason);
  const known = alerts.standing.get(key);
  if (known !== undefined) {
    known.since.delete(id);
    known.since.set(id, at);
    known.last = at;
    return [];
  }
  alerts.standing.set(key, { rule, reason, since: new Map([[id, at]]), last: at });
  return [{ type: "alert", rule, reason, active: true }];
}

/** Takes back what was withdrawn or turned into something else. */
export function lower(alerts: Alerts, rule: RuleRef, reason: Standing["reason"], id: string): AlertOutput[] {
  const key = keyOf(rule, reason);
  const known = alerts.standing.get(key);
  if (known === undefined || !known.since.delete(id)) return [];
  for (const at of known.since.values()) known.last = at;
  if (known.since.size > 0) return [];
  alerts.standing.delete(key);
  return [{ type: "alert", rule, reason, active: false }];
}

/** Lets go of what became final `hold` ago or longer. */
export function expire(alerts: Alerts, now: UnixNano, hold: DurationNano): AlertOutput[] {
  const outputs: AlertOutput[] = [];
  for (const [key, { rule, reason, since }] of alerts.standing) {
    for (const [id, at] of since) {
      if (now - at < hold) break;
      since.delete(id);
    }
    if (since.size > 0) continue;
    alerts.standing.delete(key);
    outputs.push({ type: "alert", rule, reason, active: false });
  }
  return outputs;
}

/** When the next hold is over; null when nothing stands. */
export function nextExpiry(alerts: Alerts, hold: DurationNano): UnixNano | null {
  let next: UnixNano | null = null;
  for (const { last } of alerts.standing.values()) {
    if (next === null || last + hold < next) next = (last + hold) as UnixNano;
  }
  return next;
}

const keyOf = (rule: RuleRef, reason: string): string => `${rule.contract}\u0000${rule.rule}\u0000${reason}`;
