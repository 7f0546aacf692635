/** How a command ends, for scripts. Source: docs/semantics.md 13. */
export const ExitCode = {
  /** Nothing at or above the threshold. */
  ok: 0,
  /** Violations at or above the threshold, or a test case that failed. */
  violations: 1,
  /** A usage, file, configuration or contract error, after which nothing is judged; or an approval that is one. */
  badInput: 2,
  /** Only inconclusive verdicts at or above the threshold. */
  inconclusive: 3,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
