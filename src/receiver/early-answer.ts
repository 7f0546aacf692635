/**
 * Answers that go out before the request's body was read.
 *
 * Closing a connection on which bytes are still coming resets it, and the sender may lose the answer that
 * tells it what is wrong. So small bodies are read away and the connection lives on; with large ones the
 * connection lingers, within bounds, and is then closed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Whether the sender still waits for `100 Continue` before it sends its body. */
export type SenderState = "body held back" | "body on its way";

/** A body up to this size is cheaper to read away than a new connection. */
const mostReadAway = 1024 * 1024;

/** How much of the body is still to come, as far as the answer's framing must care. */
export function unreadBody(request: IncomingMessage, sender: SenderState): "nothing" | "little" | "too much" {
  const declared = request.headers["content-length"];
  if (request.complete) return "nothing";
  if (declared === undefined && request.headers["transfer-encoding"] === undefined) return "nothing";
  // Whether a held back body comes after all is the sender's choice (RFC 9110, 10.1.1): framing is lost.
  if (sender === "body held back" || declared === undefined) return "too much";
  return Number(declared) <= mostReadAway ? "little" : "too much";
}

/** Long enough for a sender on a slow line to see the answer and stop. */
const lingerMilliseconds = 2_000;

/**
 * Answers while the sender is still sending: writes all of the answer, reads away what comes, and closes at
 * the body's end, after `maxBytes`, or when the time is up, whichever is first.
 */
export function linger(
  request: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array,
  maxBytes: number,
): void {
  let seen = 0;
  const timer = setTimeout(finish, lingerMilliseconds);
  function finish(): void {
    clearTimeout(timer);
    response.end();
  }

  response.write(body);
  response.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Uint8Array) => {
    seen += chunk.length;
    if (seen > maxBytes) finish();
  });
  request.once("end", finish);
  request.once("error", finish);
}
