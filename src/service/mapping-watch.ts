/** Notices mappings of the configuration that nothing matches: a misspelt one protects nothing, silently. */
import type { Log } from "../telemetry/log.ts";

export interface MappingWatch {
  readonly names: readonly string[];
  /** A mapping turned a span or span event into an event. */
  matched(mapping: string): void;
  /** So many spans more came. */
  see(spans: number): void;
  /** Says what never matched, unless that was said before. */
  finish(): void;
}

/** After so much traffic a mapping that never matched deserves a line in the log. */
const enoughSpans = 1_000;

export function createMappingWatch(
  names: readonly string[],
  log: Log,
  onMatch: (mapping: string) => void,
): MappingWatch {
  const idle = new Set(names);
  let seen = 0;
  let said = false;

  function say(): void {
    if (said) return;
    said = true;
    for (const mapping of idle) {
      log.warn(
        { mapping, spans: seen },
        `mapping ${mapping} met no span and no log record so far: check its \`when\` against their names and attributes`,
      );
    }
  }

  return {
    names,
    matched(mapping) {
      idle.delete(mapping);
      onMatch(mapping);
    },
    see(spans) {
      seen += spans;
      if (seen >= enoughSpans) say();
    },
    finish: say,
  };
}
