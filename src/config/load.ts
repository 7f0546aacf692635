/**
 * Reads an `otel-config.yaml`: text → tree with places → environment → overrides → checked settings. Every
 * problem is returned at once, and a configuration only when there is no error among them.
 */
import type { LoadProblem } from "../model/load-error.ts";
import { parseYaml, plainValue } from "../source/yaml-source.ts";
import { type Config, configSchema, defaultConfig } from "./config.ts";
import { effectiveTree } from "./effective.ts";
import { type Environment, expandEnvironment } from "./environment.ts";
import { applyOverrides, fromCommandLine, setFile } from "./overrides.ts";
import { type FoundProblem, problemsOf } from "./problems.ts";

export interface LoadedConfig {
  readonly config: Config | null;
  readonly problems: readonly LoadProblem[];
}

export function loadConfig(
  text: string,
  file: string,
  env: Environment,
  overrides: readonly string[] = [],
): LoadedConfig {
  const problems: LoadProblem[] = [];
  const placed = new Set<string>();
  const report = (found: FoundProblem) => {
    const override = fromCommandLine.get(found.range);
    const where = override === undefined ? file : `${setFile} ${override}`;
    // What follows from a problem already told of the same place says nothing new.
    const place = `${where}:${found.range.line}:${found.range.column}`;
    if (found.code === "bad-value" && placed.has(place)) return;
    placed.add(place);
    problems.push({ ...found, file: where, level: "error" });
  };

  const parsed = parseYaml(text);
  for (const problem of parsed.problems) report(problem);
  if (parsed.root === null) {
    if (problems.length === 0) {
      report({
        range: { line: 1, column: 1, length: 1 },
        code: "empty-file",
        message: "the configuration is empty",
        advice: "Begin with the repository's otel-config.yaml; without a file, the defaults run.",
      });
    }
    return { config: null, problems };
  }

  const expanded = expandEnvironment(parsed.root, env);
  for (const problem of expanded.problems) report(problem);
  const overridden = applyOverrides(expanded.root, overrides);
  problems.push(...overridden.problems);

  const checked = configSchema.safeParse(plainValue(overridden.root));
  if (!checked.success) {
    for (const problem of problemsOf(checked.error.issues, overridden.root, configSchema)) report(problem);
  }
  problems.sort((a, b) => a.range.line - b.range.line || a.range.column - b.range.column);
  return { config: checked.success && problems.length === 0 ? checked.data : null, problems };
}

/** The configuration that runs without a file, with overrides laid over it. */
export function configWithoutFile(env: Environment, overrides: readonly string[]): LoadedConfig {
  if (overrides.length === 0) return { config: defaultConfig, problems: [] };
  return loadConfig(JSON.stringify(effectiveTree(defaultConfig)), setFile, env, overrides);
}
