/** What belongs to a decision as a whole, so that every event of it has it. */
export const decisionFields = ["seq", "decision", "base_version"] as const;
