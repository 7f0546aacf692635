/**
 * `${env:NAME}` and `${env:NAME:-default}` in the texts of a configuration, as the Collector reads them. A
 * value that is nothing but one reference takes the type that its text would have had in the file.
 */
import type { ScalarNode, SourceNode, SourceProblem } from "../source/yaml-source.ts";
import { parseYaml } from "../source/yaml-source.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expanded {
  readonly root: SourceNode;
  readonly problems: readonly SourceProblem[];
}

const reference = /\$\$|\$\{([^}]*)\}/g;
const whole = /^\$\{[^}]*\}$/;
const named = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

export function expandEnvironment(root: SourceNode, env: Environment): Expanded {
  const problems: SourceProblem[] = [];

  const expand = (node: SourceNode): SourceNode => {
    switch (node.is) {
      case "list":
        return { ...node, items: node.items.map(expand) };
      case "map":
        return {
          ...node,
          entries: new Map(
            [...node.entries].map(([key, entry]) => [key, { ...entry, value: expand(entry.value) }]),
          ),
        };
      case "scalar":
        return typeof node.value === "string" && node.value.includes("$")
          ? expandScalar(node, node.value)
          : node;
    }
  };

  const expandScalar = (node: ScalarNode, text: string): ScalarNode => {
    const expanded = text.replace(reference, (found, inside: string | undefined) =>
      inside === undefined ? "$" : (lookUp(node, found, inside) ?? ""),
    );
    const typed = whole.test(text) && !node.quoted ? parseYaml(expanded).root : null;
    if (typed?.is === "scalar") return { ...typed, range: node.range };
    return { ...node, value: expanded, text: expanded };
  };

  const lookUp = (node: ScalarNode, found: string, inside: string): string | null => {
    const [, name, fallback] = named.exec(inside) ?? [];
    if (name === undefined) {
      problems.push({
        range: node.range,
        code: "unknown-reference",
        message: `${found} is not a reference that is known here`,
        advice: `Write \${env:NAME} or \${env:NAME:-default}; a dollar sign that is meant as such is written $$.`,
      });
      return null;
    }
    const value = env[name];
    // As in a shell, `:-` also stands in for an empty value.
    if (value !== undefined && (value !== "" || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    problems.push({
      range: node.range,
      code: "env-not-set",
      message: `the environment variable ${name} is not set`,
      advice: `Set it, or give a default: \${env:${name}:-default}.`,
    });
    return null;
  };

  return { root: expand(root), problems };
}
