import assert from "node:assert/strict";
import { it } from "node:test";
import { createMemoryJournal } from "../../src/journal/memory.ts";
import { facts, journalSuite } from "./suite.ts";

journalSuite("in memory", (maxFacts) => createMemoryJournal({ maxFacts }));

it("a journal in memory says what is lost with it, and how full it is when it refuses", async () => {
  const journal = createMemoryJournal({ maxFacts: 3 });
  assert.equal(journal.kind, "memory");
  assert.match(journal.durability, /lost when the process ends/);
  await journal.append([facts(1, 2)]);
  const refused = await journal.append([facts(2, 2)]);
  assert.deepEqual(refused, { is: "full", reason: "2 span facts wait to be judged, of 3 that may" });
});
