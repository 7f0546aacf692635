/**
 * Answers what never became a request: bytes that are not HTTP, headers that are too long, a sender that ran
 * into a timeout. The Status is in the encoding of the request under way, JSON where there is none. The
 * connection is closed.
 */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { encodingOf } from "./media-type.ts";
import { refused } from "./reply.ts";

const answers = new Map<string, readonly [status: number, phrase: string, message: string]>([
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [
      408,
      "Request Timeout",
      "the request did not come whole in time; send smaller batches, or raise read_timeout",
    ],
  ],
  [
    "HPE_HEADER_OVERFLOW",
    [431, "Request Header Fields Too Large", "the headers are longer than 16 KiB; leave some out"],
  ],
  [
    "HPE_CHUNK_EXTENSIONS_OVERFLOW",
    [413, "Content Too Large", "the chunk extensions are longer than 16 KiB; leave them out"],
  ],
]);

const notHttp = [400, "Bad Request", "this is not HTTP/1.1 as RFC 9112 has it"] as const;

/** `underWay`: the responses that this socket still owes, first the one that is next on the wire. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  underWay: readonly ServerResponse[],
): void {
  const [response] = underWay;
  // A connection that was reset, or on which an answer has begun, cannot be told anything more.
  if (!socket.writable || error.code === "ECONNRESET" || response?.headersSent === true) {
    socket.destroy(error);
    return;
  }
  const [status, phrase, message] = answers.get(error.code ?? "") ?? notHttp;
  const { headers, body } = refused(encodingOf(response?.req.headers["content-type"]), status, message);
  const head = Object.entries({ ...headers, "content-length": body.length, connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  socket.write(`HTTP/1.1 ${status} ${phrase}\r\n${head}\r\n`);
  socket.end(body, () => socket.destroy());
}
