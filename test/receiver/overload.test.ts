import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DecodeError } from "../../src/otlp/decode-error.ts";
import { type PostTracesDeps, postTraces } from "../../src/receiver/post-traces.ts";
import { request, send } from "./plain-request.ts";
import { createBench, deferred } from "./support.ts";
import { bothTypes, json, requestBody, statusOf } from "./wire.ts";

const oneSpan = [{ id: 1 }];

for (const type of bothTypes) {
  const encoding = type === json ? "json" : "protobuf";
  const good = requestBody(type, oneSpan);

  describe(`POST /v1/traces, ${encoding}: overload and faults`, () => {
    it("answers 200 only once the pipeline holds the spans", async () => {
      const journaled = deferred<{ kind: "accepted" }>();
      const asked = deferred<void>();
      const bench = createBench({
        accept: () => {
          asked.resolve();
          return journaled.promise;
        },
      });
      let answered = false;
      const reply = send({ type, body: good }, bench.deps).then((given) => {
        answered = true;
        return given;
      });

      await Promise.race([asked.promise, reply]);
      assert.equal(answered, false);
      assert.ok(bench.deps.admission.inFlightBytes >= good.length, "its bytes count until the answer");
      journaled.resolve({ kind: "accepted" });
      assert.equal((await reply).status, 200);
      assert.equal(bench.deps.admission.inFlightBytes, 0);
    });

    const refusals = [
      {
        name: "OTLP-25: the queue is full",
        bench: () => createBench({ waitingSpans: () => 1000 }),
        unread: true,
        spans: {},
      },
      {
        name: "OTLP-26: on the way down",
        bench: () => {
          const bench = createBench();
          bench.deps.admission.drain();
          return bench;
        },
        unread: true,
        spans: {},
      },
      {
        name: "OTLP-31: the pipeline refuses",
        bench: () =>
          createBench({
            accept: () => Promise.resolve({ kind: "refused", reason: "the journal's disk is full" }),
          }),
        unread: false,
        spans: { [`${encoding} refused`]: 1 },
      },
      {
        name: "OTLP-25: the memory set aside is in use",
        bench: () => {
          const bench = createBench({ maxInFlightBytes: 1000 });
          const entry = bench.deps.admission.enter();
          assert.ok("lease" in entry);
          entry.lease.grow(990);
          return bench;
        },
        unread: false,
        spans: {},
      },
    ];
    for (const { name, bench: create, unread, spans } of refusals) {
      it(`${name} → 503 with Retry-After, counted refused, never 500`, async () => {
        const bench = create();
        const before = bench.deps.admission.inFlightBytes;
        const sent = request({ type, body: good });
        const reply = await postTraces(sent, bench.deps);

        assert.equal(reply?.status, 503);
        assert.match(reply?.headers["retry-after"] ?? "", /^[1-9]\d*$/);
        assert.equal(reply?.headers["content-type"], type);
        assert.match(statusOf(type, reply?.body ?? Buffer.alloc(0)).message ?? "", /send it again/);
        assert.equal(sent.wasRead(), !unread);
        assert.deepEqual(bench.telemetry.requests, { [`${encoding} refused`]: 1 });
        assert.deepEqual(bench.telemetry.spans, spans);
        assert.equal(bench.deps.admission.inFlightBytes, before);
      });
    }

    it("OTLP-25: a pipeline may say itself when to come back, in whole seconds", async () => {
      const bench = createBench({
        accept: () => Promise.resolve({ kind: "refused", reason: "busy", retryAfterSeconds: 2.2 }),
      });
      assert.equal((await send({ type, body: good }, bench.deps)).headers["retry-after"], "3");
    });

    const faults: readonly { name: string; deps: Partial<PostTracesDeps> }[] = [
      { name: "the pipeline throws", deps: { accept: () => Promise.reject(new Error("secret detail")) } },
      {
        name: "the decoder breaks",
        deps: {
          decode: () => {
            throw new RangeError("secret detail");
          },
        },
      },
    ];
    for (const { name, deps } of faults) {
      it(`OTLP-31: ${name} → 500, counted failed, told to the log and not to the sender`, async () => {
        const bench = createBench(deps);
        const reply = await send({ type, body: good }, bench.deps);

        assert.equal(reply.status, 500);
        assert.equal(reply.headers["content-type"], type);
        assert.doesNotMatch(statusOf(type, reply.body).message ?? "", /secret/);
        assert.match(String(bench.faults[0]), /secret detail/);
        assert.deepEqual(bench.telemetry.requests, { [`${encoding} failed`]: 1 });
        assert.equal(bench.deps.admission.inFlightBytes, 0);
      });
    }

    it("OTLP-23: what the decoder says of a body reaches the sender", async () => {
      const bench = createBench({
        decode: () => {
          throw new DecodeError("resourceSpans[0]: not a message; send one");
        },
      });
      const reply = await send({ type, body: good }, bench.deps);

      assert.equal(reply.status, 400);
      assert.deepEqual(statusOf(type, reply.body), {
        code: 3,
        message: "resourceSpans[0]: not a message; send one",
      });
      assert.deepEqual(bench.taken, []);
    });

    it("a sender that goes away is counted aborted and gets no answer", async () => {
      const bench = createBench();
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield good.subarray(0, 10);
        throw new Error("aborted");
      }
      const reply = await postTraces({ ...request({ type }), body: broken() }, bench.deps);

      assert.equal(reply, null);
      assert.deepEqual(bench.telemetry.requests, { [`${encoding} aborted`]: 1 });
      assert.equal(bench.deps.admission.inFlightBytes, 0);
    });

    it("OTLP-30: a batch that is sent twice is taken twice, and is the same both times", async () => {
      const bench = createBench();
      const [first, second] = [
        await send({ type, body: good }, bench.deps),
        await send({ type, body: good }, bench.deps),
      ];
      assert.deepEqual(second, first);
      assert.deepEqual(bench.taken[1]?.spans, bench.taken[0]?.spans);
    });
  });
}
