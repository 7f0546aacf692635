import type { LoadProblem } from "../model/load-error.ts";

/** The service cannot start, by something that its user can mend: contracts that do not load, a port in use. */
export class StartError extends Error {
  override readonly name = "StartError";
  /** Every problem of the contracts, warnings among them; empty where they are not the cause. */
  readonly problems: readonly LoadProblem[];

  constructor(message: string, problems: readonly LoadProblem[]) {
    super(message);
    this.problems = problems;
  }
}
