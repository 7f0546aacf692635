/** `processors.toolorder.identity`: under which attributes an agent states its decisions, keys and versions. */
import * as z from "zod";
import { agentFields, agentSignals } from "../model/attribute-names.ts";
import { cure } from "./kinds.ts";

const builtIn: ReadonlyMap<string, readonly string[]> = new Map([...agentFields, ...agentSignals]);

const names = z
  .union([z.string().transform((one) => [one]), z.array(z.string())], {
    error: cure(
      "an attribute is expected, or a list of them",
      "Write its name as your agent writes it, such as house.decision.number.",
    ),
  })
  .refine((list) => list.length > 0, {
    error: cure("no attribute is named", "Name at least one, or remove the key for the built-in names."),
  })
  .refine((list) => list.every((name) => name.trim() !== ""), {
    error: cure("the text is empty", "Write the name of an attribute, or remove the key."),
  })
  .optional();

/** Field or kind of signal → attributes; what is left out keeps its built-in names. */
export const identity = z
  .strictObject(Object.fromEntries([...builtIn.keys()].map((key) => [key, names])))
  .superRefine((given, context) => {
    const owners = new Map<string, string>();
    for (const [key, usual] of builtIn) {
      if (given[key] === undefined) for (const name of usual) owners.set(name, key);
    }
    for (const [key, own] of Object.entries(given)) {
      for (const [index, name] of (own ?? []).entries()) {
        const owner = owners.get(name);
        if (owner !== undefined) {
          context.addIssue({
            code: "custom",
            path: [key],
            message: cure(
              owner === key
                ? `${JSON.stringify(name)} stands here twice`
                : `${JSON.stringify(name)} is read as ${owner} already`,
              owner === key
                ? "Name it once."
                : `An attribute says one thing: give ${index === 0 ? "this field" : "it"} another, or name others for ${owner}.`,
            ),
          });
        }
        owners.set(name, key);
      }
    }
  })
  .transform(
    (given): ReadonlyMap<string, readonly string[]> =>
      new Map(Object.entries(given).flatMap(([key, own]) => (own === undefined ? [] : [[key, own]]))),
  );
