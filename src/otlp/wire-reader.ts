/**
 * Reads the protobuf wire format in place. Skipping costs a length and copies nothing.
 *
 * Every read is told where its message ends, and fails at that border rather than at the end of the body: a
 * field that runs out of its message is an error even when more bytes follow. The caller checks
 * `position < end` before each `tag`.
 *
 * Source: the encoding page of the protobuf documentation. Groups (wire types 3 and 4) are refused: OTLP has
 * none, and skipping them needs a stack.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  position = 0;
  /** Halves of the varint that `varint64` read last. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Field number and wire type, as they stand: `field << 3 | wire`, unsigned. */
  tag(end: number): number {
    const first = this.bytes[this.position] as number;
    if (first < 0x80 && first >= 8) {
      this.position += 1;
      return first;
    }
    return this.#longTag(end);
  }

  #longTag(end: number): number {
    const at = this.position;
    this.varint64(end);
    if (this.high !== 0) throw new WireError("has a field number above 536870911", at);
    const tag = this.low >>> 0;
    if (tag < 8) throw new WireError("has field number 0", at);
    return tag;
  }

  /** Reads a length and answers where its payload ends; `position` is then the payload's first byte. */
  payload(end: number): number {
    const at = this.position;
    if (at < end) {
      const first = this.bytes[at] as number;
      if (first < 0x80) {
        const stop = at + 1 + first;
        if (stop <= end) {
          this.position = at + 1;
          return stop;
        }
      }
    }
    return this.#longPayload(end, at);
  }

  #longPayload(end: number, at: number): number {
    this.varint64(end);
    const length = (this.low >>> 0) + this.high * 0x1_0000_0000;
    if (length > end - this.position) {
      throw new WireError(`announces ${length} bytes where ${end - this.position} are left`, at);
    }
    return this.position + length;
  }

  /** Reads a varint into `low` and `high`, both unsigned 32-bit. */
  varint64(end: number): void {
    const { bytes } = this;
    const at = this.position;
    let position = at;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) throw new WireError("ends inside a varint", at);
      const byte = bytes[position] as number;
      position += 1;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) {
        this.position = position;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new WireError("has a varint longer than 10 bytes", at);
  }

  /** The low 32 bits of a varint, unsigned: uint32 fields, and enums and int32 after `| 0`. */
  uint32(end: number): number {
    if (this.position < end) {
      const first = this.bytes[this.position] as number;
      if (first < 0x80) {
        this.position += 1;
        return first;
      }
    }
    this.varint64(end);
    return this.low;
  }

  bool(end: number): boolean {
    this.varint64(end);
    return this.low !== 0 || this.high !== 0;
  }

  /** A number where it is exact, else a bigint. */
  int64(end: number): number | bigint {
    this.varint64(end);
    const high = this.high | 0;
    if (high >= -0x20_0000 && high < 0x20_0000) {
      const value = high * 0x1_0000_0000 + this.low;
      if (Number.isSafeInteger(value)) return value;
    }
    return (BigInt(high) << 32n) | BigInt(this.low);
  }

  fixed64(end: number): bigint {
    const at = this.#take(8, end);
    return this.view.getBigUint64(at, true);
  }

  fixed32(end: number): number {
    return this.view.getUint32(this.#take(4, end), true);
  }

  double(end: number): number {
    return this.view.getFloat64(this.#take(8, end), true);
  }

  #take(count: number, end: number): number {
    const at = this.position;
    if (end - at < count) throw new WireError(`needs ${count} bytes where ${end - at} are left`, at);
    this.position = at + count;
    return at;
  }

  /** Passes over the value of a field that nobody reads. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case 0:
        this.varint64(end);
        return;
      case 1:
        this.#take(8, end);
        return;
      case 2:
        this.position = this.payload(end);
        return;
      case 5:
        this.#take(4, end);
        return;
      case 3:
      case 4:
        throw new WireError("is a group (wire type 3 or 4), which OTLP does not have", this.position - 1);
      default:
        throw new WireError(`has wire type ${tag & 7}, which does not exist`, this.position - 1);
    }
  }
}

/** What is wrong at one byte; the decoder turns it into a `DecodeError` that names the field. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly offset: number;

  /** `problem` continues the sentence that begins with the field's path. */
  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}
