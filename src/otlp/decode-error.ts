/**
 * A body that cannot be decoded as a whole, so that no span of it is kept. The message names the place, the
 * cause and the cure, and never quotes values of the body. Permanent: the same bytes fail again (HTTP 400).
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** Where in the body: bytes for protobuf, characters for JSON; null when the whole body is meant. */
  readonly offset: number | null;

  constructor(message: string, offset: number | null = null) {
    super(message);
    this.offset = offset;
  }
}
