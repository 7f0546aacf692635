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

/** Nothing came for so long: the sender saw the answer and stopped, or is gone. */
export const quietMilliseconds = 5_000;

/** For a sender that never stops. Its bytes are thrown away as they come, and cost no memory. */
export const mostLingerMilliseconds = 30_000;

/**
 * Answers while the sender is still sending: writes all of the answer, reads away what comes, and closes at
 * the body's end, when the sender falls silent, or when the time is up, whichever is first. However much comes
 * in that time is no reason to close: the sender may read only once it has sent everything, and a reset takes
 * the answer from it.
 */
export function linger(request: IncomingMessage, response: ServerResponse, body: Uint8Array): void {
  let heard = false;
  let quiet = setTimeout(look, quietMilliseconds);
  const most = setTimeout(finish, mostLingerMilliseconds);

  function look(): void {
    // On a busy machine the timer may be called before the socket, where bytes have been waiting all the while.
    setImmediate(() => {
      if (!heard) finish();
      if (response.writableEnded || response.destroyed) return;
      heard = false;
      quiet = setTimeout(look, quietMilliseconds);
    });
  }
  function stop(): void {
    clearTimeout(quiet);
    clearTimeout(most);
  }
  function finish(): void {
    stop();
    response.end();
  }

  response.write(body);
  response.once("close", stop);
  request.on("data", () => {
    heard = true;
  });
  request.once("end", finish);
  request.once("error", finish);
}
