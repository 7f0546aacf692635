/** Counts as kinds of rules make them. */
import type { Pattern } from "../pattern.ts";
import type { Count } from "../program.ts";

/** How many there are, of all and without a bound, but for what is said. */
export const counting = (of: Pattern, rest: Partial<Count>): Count => ({
  kernel: "count",
  of,
  min: null,
  max: null,
  distinct: [],
  bind: [],
  window: null,
  code: null,
  ...rest,
});
