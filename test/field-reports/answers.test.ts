/** Reports in which the answer itself was the trouble: its status, its media type, its body. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hours } from "../../src/model/time.ts";
import { type RunningService, runService } from "../support/running-service.ts";
import { type Answer, bodyOf, readManifest, runStep, type Step } from "./steps.ts";

const manifest = new Map(readManifest().map((entry) => [entry.id, entry.steps]));

function stepsOf(id: string): readonly Step[] {
  const steps = manifest.get(id);
  assert.ok(steps !== undefined && steps.length > 0, `${id} is in the manifest`);
  return steps;
}

async function answersOf(id: string, service: RunningService): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const step of stepsOf(id)) answers.push(...(await runStep(step, service.tracesUrl)));
  return answers;
}

async function withService(use: (service: RunningService) => Promise<void>): Promise<void> {
  const service = await runService({ contracts: [] });
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

const isJson = ({ headers }: Answer): boolean => /^application\/json\b/.test(headers["content-type"] ?? "");

describe("answers", () => {
  it("P01: ids in base64 are named, with the place and the cure", async () => {
    await withService(async (service) => {
      const [answer] = await answersOf("P01", service);
      assert.match(answer?.body ?? "", /traceId|trace_id/);
      assert.match(answer?.body ?? "", /hex/);
    });
  });

  it("P05: the refusal of a media type names both that are read", async () => {
    await withService(async (service) => {
      const answers = await answersOf("P05", service);
      assert.equal(answers.length, 2);
      for (const { body } of answers) {
        assert.match(body, /application\/json/);
        assert.match(body, /application\/x-protobuf/);
      }
    });
  });

  it("P10: an accepted span of 1970 gives no series with decades in it", async () => {
    await withService(async (service) => {
      await answersOf("P10", service);
      await service.pass(hours(3));
      const tenYears = 10 * 365 * 86_400;
      const { samples } = await service.metrics();
      const seconds = samples.filter(
        ({ name }) => /_seconds(?:_sum)?$/.test(name) && !/timestamp/.test(name),
      );
      assert.ok(seconds.length > 0);
      assert.deepEqual(
        seconds.filter(({ value }) => Math.abs(value) > tenYears),
        [],
      );
    });
  });

  it("P15: an over-long id appears in no output", async () => {
    await withService(async (service) => {
      await answersOf("P15", service);
      await service.pass(hours(3));
      const { samples } = await service.metrics();
      assert.ok(!JSON.stringify([samples, service.log()]).includes("77934187ed8464cb5c36df38515992ef"));
      assert.equal((await service.metrics()).sum("toolorder_tool_calls_total", { tool: "bad_tool" }), 0);
    });
  });

  it("P19: full success says nothing of rejections, in the request's media type", async () => {
    await withService(async (service) => {
      const [answer] = await answersOf("P19", service);
      assert.ok(answer !== undefined && isJson(answer), "application/json");
      const { partialSuccess = {} } = JSON.parse(answer.body) as { partialSuccess?: object };
      assert.deepEqual(partialSuccess, {});
    });
  });

  it("P23: a cut body gets a Status, and the next one 200", async () => {
    await withService(async (service) => {
      const [cut] = await answersOf("P23", service);
      assert.ok(cut !== undefined && isJson(cut), "application/json");
      const { message } = JSON.parse(cut.body) as { message?: string };
      assert.ok((message ?? "").length > 10, `message: ${message}`);
      const [next] = await answersOf("P19", service);
      assert.equal(next?.status, 200);
    });
  });

  it("P17: a small body that inflates to 200 MiB is refused in little memory, and a neighbour served", async () => {
    await withService(async (service) => {
      const [bomb, plain] = stepsOf("P17");
      assert.ok(bomb !== undefined && plain !== undefined);
      const body = await bodyOf(bomb);
      assert.ok(body.byteLength < 1024 * 1024, "small as sent");
      // Once before, so that what the first request of a process allocates is not counted.
      await runStep(plain, service.tracesUrl);

      const rise = await peakRise(async () => {
        const [[refused], [served]] = await Promise.all([
          runStep(bomb, service.tracesUrl, body),
          runStep(plain, service.tracesUrl),
        ]);
        assert.equal(refused?.status, 413);
        assert.equal(served?.status, 200);
      });
      const cap = 64 * 1024 * 1024;
      assert.ok(rise < 2 * cap, `resident memory rose by ${Math.round(rise / 1024 / 1024)} MiB`);
    });
  });

  it("P17: the same without a length is refused too", async () => {
    await withService(async (service) => {
      const [bomb] = stepsOf("P17");
      assert.ok(bomb !== undefined);
      assert.equal(await sendChunked(bomb, await bodyOf(bomb), service.tracesUrl), 413);
    });
  });
});

/** How far resident memory rises above where it is now, in bytes, seen every few milliseconds. */
async function peakRise(work: () => Promise<void>): Promise<number> {
  // What earlier work left for the collector would make the baseline too high, or be reused unseen.
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return most - before;
}

/** Sends a body without a Content-Length, as a stream that never says how much will come. */
async function sendChunked(step: Step, body: Uint8Array, tracesUrl: string): Promise<number> {
  const outgoing = request(new URL(step.path, tracesUrl), {
    method: step.method,
    headers: { ...step.headers, "content-encoding": "gzip" },
  });
  // The receiver may close before it has everything; its answer counts.
  outgoing.on("error", () => {});
  const answered = once(outgoing, "response");
  outgoing.write(body.subarray(0, body.byteLength / 2));
  outgoing.end(body.subarray(body.byteLength / 2));
  const [response] = (await answered) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode ?? 0;
}
