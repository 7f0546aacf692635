/** Machines as kinds of rules make them. */
import type { Pattern } from "../pattern.ts";
import type { Transition } from "../program.ts";

/** A step that asks for nothing and remembers nothing. */
export const step = (from: string, on: Pattern, to: string): Transition => ({
  from,
  on,
  to,
  when: [],
  needs: [],
  gives: [],
  owner: null,
  set: new Map(),
});
