/** How long a connection lingers behind an early answer, by a clock of the test's own. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { linger, mostLingerMilliseconds, quietMilliseconds } from "../../src/receiver/early-answer.ts";

class Response extends EventEmitter {
  written = "";
  writableEnded = false;
  destroyed = false;
  write(bytes: Uint8Array): void {
    this.written += Buffer.from(bytes).toString();
  }
  end(): void {
    assert.equal(this.writableEnded, false, "ended twice");
    this.writableEnded = true;
    this.emit("close");
  }
}

function lingering(test: TestContext) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const request = new PassThrough();
  const response = new Response();
  linger(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    Buffer.from("the answer"),
  );
  /** Whatever is due then is called before what came meanwhile is read. */
  async function pass(milliseconds: number): Promise<boolean> {
    test.mock.timers.tick(milliseconds);
    await nextTurn();
    await nextTurn();
    return response.writableEnded;
  }
  return { request, response, pass };
}

describe("an early answer", () => {
  it("goes out at once, and the connection is closed when the sender falls silent", async (test) => {
    const { response, pass } = lingering(test);
    assert.equal(response.written, "the answer");
    assert.equal(await pass(quietMilliseconds - 1), false);
    assert.equal(await pass(1), true);
    assert.equal(await pass(mostLingerMilliseconds), true);
  });

  it("is not cut off while the sender goes on sending, until the time is up", async (test) => {
    const { request, pass } = lingering(test);
    let passed = 0;
    for (; passed + quietMilliseconds < mostLingerMilliseconds; passed += quietMilliseconds) {
      request.write(Buffer.alloc(1024 * 1024));
      assert.equal(await pass(quietMilliseconds), false, `after ${passed} ms`);
    }
    request.write("x");
    assert.equal(await pass(mostLingerMilliseconds - passed), true);
  });

  it("closes the connection at the body's end", async (test) => {
    const { request, pass } = lingering(test);
    request.end("rest");
    assert.equal(await pass(0), true);
    assert.equal(await pass(mostLingerMilliseconds), true);
  });

  it("leaves no timer behind when the connection breaks", async (test) => {
    const { response, pass } = lingering(test);
    response.destroyed = true;
    response.emit("close");
    assert.equal(await pass(2 * mostLingerMilliseconds), false);
  });
});
