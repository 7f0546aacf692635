import type { Terminal } from "./terminal.ts";

const barWidth = 24;

/** Told how many of all are done. */
export type Progress = (done: number, of: number) => void;

/** A bar on the terminal while `what` goes on. It changes a hundred times at most, so that it costs nothing. */
export function progressOn(terminal: Pick<Terminal, "status">, what: string, unit: string): Progress {
  return (done, of) => terminal.status(progressLine(what, done, of, unit));
}

/** `reading  [############------------]   50 %  12 of 24 files` */
export function progressLine(what: string, done: number, of: number, unit: string): string {
  const part = of === 0 ? 1 : Math.min(done / of, 1);
  const full = Math.floor(part * barWidth);
  const bar = "#".repeat(full) + "-".repeat(barWidth - full);
  const percent = String(Math.floor(part * 100)).padStart(3);
  // The count of a large number of events would change with each entry and tell nothing more.
  const counted = of < 1000 ? `${done} of ${of} ${unit}` : `${of} ${unit}`;
  return `${what.padEnd(8)} [${bar}] ${percent} %  ${counted}`;
}
