/**
 * Writes the protobuf wire format into one growing buffer. Fields that hold the default of their type are
 * left out, as proto3 does; callers that need them (members of a oneof) use the `always` forms.
 */
export class WireWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1_024);
  #length = 0;

  finish(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  /** A message field; `write` writes what is in it. Written also when empty, since presence counts. */
  message(field: number, write: () => void): void {
    this.#varint((field << 3) | 2);
    const start = this.#length;
    write();
    const size = this.#length - start;
    const prefix = varintSize(size);
    this.#reserve(prefix);
    this.#bytes.copyWithin(start + prefix, start, this.#length);
    this.#length = start;
    this.#varint(size);
    this.#length = start + prefix + size;
  }

  text(field: number, value: string): void {
    if (value !== "") this.textAlways(field, value);
  }

  textAlways(field: number, value: string): void {
    const size = Buffer.byteLength(value, "utf8");
    this.#varint((field << 3) | 2);
    this.#varint(size);
    this.#reserve(size);
    this.#length += this.#bytes.write(value, this.#length, size, "utf8");
  }

  bytes(field: number, value: Uint8Array): void {
    this.#varint((field << 3) | 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** An id from hex; left out when empty. */
  hex(field: number, value: string): void {
    if (value !== "") this.bytes(field, Buffer.from(value, "hex"));
  }

  /** uint32, int32 and enums; negative numbers take ten bytes, as the format asks. */
  int32(field: number, value: number): void {
    if (value !== 0) this.int64Always(field, BigInt(value));
  }

  int64Always(field: number, value: bigint): void {
    this.#varint(field << 3);
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.#byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }

  boolAlways(field: number, value: boolean): void {
    this.#varint(field << 3);
    this.#byte(value ? 1 : 0);
  }

  doubleAlways(field: number, value: number): void {
    this.#varint((field << 3) | 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  fixed64(field: number, value: bigint): void {
    if (value === 0n) return;
    this.#varint((field << 3) | 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
  }

  fixed32(field: number, value: number): void {
    if (value === 0) return;
    this.#varint((field << 3) | 5);
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value >>> 0, this.#length);
  }

  #varint(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  #reserve(count: number): void {
    const wanted = this.#length + count;
    if (wanted <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
}
