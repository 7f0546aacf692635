import assert from "node:assert/strict";
import { type PostTracesDeps, postTraces, type TraceRequest } from "../../src/receiver/post-traces.ts";
import type { HttpReply } from "../../src/receiver/reply.ts";

export interface Sent {
  readonly method?: string;
  readonly type?: string | undefined;
  readonly coding?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A request whose body notes whether anybody asked for it. */
export function request({
  method = "POST",
  type,
  coding,
  headers = {},
  body = Buffer.alloc(0),
}: Sent): TraceRequest & {
  readonly wasRead: () => boolean;
} {
  let read = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    read = true;
    if (body.length > 0) yield body;
  }
  return {
    method,
    headers: {
      ...(type === undefined ? {} : { "content-type": type }),
      ...(coding === undefined ? {} : { "content-encoding": coding }),
      "content-length": String(body.length),
      ...headers,
    },
    body: chunks(),
    source: null,
    wasRead: () => read,
  };
}

export async function send(sent: Sent, deps: PostTracesDeps): Promise<HttpReply> {
  const reply = await postTraces(request(sent), deps);
  assert.ok(reply !== null, "no answer");
  return reply;
}
