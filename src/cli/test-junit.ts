import type { CaseResult } from "./test.ts";
import { printable } from "./timeline-text.ts";
import { xmlDocument, xmlElement } from "./xml-text.ts";

export interface CaseFileResults {
  readonly file: string;
  readonly results: readonly CaseResult[];
}

/** `toolorder test --junit`: one suite a file, one case a contract case. A case that did not load has failed. */
export function testJunit(files: readonly CaseFileResults[]): string {
  const suites = files.map(({ file, results }) =>
    xmlElement(
      "testsuite",
      { name: file, ...countsOf(results), file },
      results.map((result) => caseXml(file, result)),
    ),
  );
  const all = files.flatMap(({ results }) => results);
  return xmlDocument(xmlElement("testsuites", { name: "toolorder test", ...countsOf(all) }, suites));
}

function countsOf(results: readonly CaseResult[]) {
  return {
    tests: results.length,
    failures: results.filter(({ failures }) => failures.length > 0).length,
    errors: 0,
    skipped: 0,
  };
}

function caseXml(file: string, { id, place, failures }: CaseResult): string {
  const line = /:(\d+)$/.exec(place)?.[1] ?? null;
  const [first] = failures;
  const failure =
    first === undefined
      ? []
      : [
          xmlElement(
            "failure",
            { type: "differs", message: printable(first) },
            failures.map((text) => text.split("\n").map(printable).join("\n")).join("\n"),
          ),
        ];
  return xmlElement("testcase", { name: id, classname: file, file, line }, failure);
}
