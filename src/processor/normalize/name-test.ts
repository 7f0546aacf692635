/** Names as settings and rules write them: exact, a glob with `*`, or `/re2/`. Linear in the name. */
import { RE2JS } from "re2js";
import type { ValueTest } from "../../rules/pattern.ts";

export type NameTest = (name: string) => boolean;

export function nameTest(written: string): NameTest {
  if (written.length > 1 && written.startsWith("/") && written.endsWith("/"))
    return re2(written.slice(1, -1));
  if (written.includes("*")) return glob(written);
  return (name) => name === written;
}

/** The part of a rule's value test that can speak about a name; other operators never match. */
export function valueNameTest(test: ValueTest): NameTest {
  switch (test.op) {
    case "equals":
      return (name) => name === test.value;
    case "ne":
      return (name) => name !== test.value;
    case "exists":
      return () => test.wanted;
    case "glob":
      return glob(test.glob);
    case "matches":
      return re2(test.pattern);
    case "one_of": {
      const tests = test.tests.map(valueNameTest);
      return (name) => tests.some((matches) => matches(name));
    }
    case "all": {
      const tests = test.tests.map(valueNameTest);
      return (name) => tests.every((matches) => matches(name));
    }
    default:
      return () => false;
  }
}

function glob(written: string): NameTest {
  const pattern = written.split("*").map(RE2JS.quote).join(".*");
  return re2(`(?s)^${pattern}$`);
}

function re2(pattern: string): NameTest {
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.matcher(name).find();
  } catch {
    // Loading has refused a broken pattern with its place; here it only must not throw.
    return () => false;
  }
}
