import * as z from "zod";
import { count, cure, notYet } from "./kinds.ts";

/** Source: `extensions.journal`. */
export interface JournalConfig {
  /** `memory`: what was acknowledged and not yet judged, and every open run, is gone with the process. */
  readonly mode: "memory";
  /** Most span facts that wait to be judged; past it the receiver answers 503 with Retry-After. */
  readonly maxWaiting: number;
}

/** 200,000 facts are some 200 MiB, and several seconds of work at full speed: more would only hide overload. */
export const defaultJournal: JournalConfig = { mode: "memory", maxWaiting: 200_000 };

export const extensions = z.strictObject({
  journal: z
    .strictObject({
      mode: z
        .literal("memory", {
          error: cure("the only journal of this version is in memory", "Write mode: memory."),
        })
        .optional(),
      max_waiting: count().optional(),
      path: notYet("a journal on disk (`path`)"),
      fsync: notYet("a journal on disk (`fsync`)"),
    })
    .nullable()
    .transform(
      (given): JournalConfig => ({
        mode: given?.mode ?? defaultJournal.mode,
        maxWaiting: given?.max_waiting ?? defaultJournal.maxWaiting,
      }),
    )
    .optional(),
  api: notYet("the page and its API"),
});
