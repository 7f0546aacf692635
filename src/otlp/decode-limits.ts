/** Bounds of one decode. */
export interface DecodeLimits {
  /**
   * Arrays and key-value lists around one value. A span with a value nested deeper is rejected, wanted or not:
   * a new contract must not change which spans are refused.
   */
  readonly maxNesting: number;
  /**
   * Attributes kept of one span, span event, resource or scope. Further ones are not kept and count as
   * dropped, so that rules read what is missing as unknown.
   */
  readonly maxAttributes: number;
  /**
   * Attributes, array elements, list members, span events and links kept of one request. Two bytes of a body
   * can ask for an object of a hundred, so bytes alone do not bound memory. A span that would pass it is
   * rejected.
   */
  readonly maxValues: number;
}

/**
 * 64 is the depth at which the reference implementations stop. SDKs keep 128 attributes by default, so 10,000
 * means a broken sender. 64 MiB of ordinary spans hold fewer than a million values that rules name; two
 * million cost some 300 MB at worst.
 */
export const defaultDecodeLimits: DecodeLimits = {
  maxNesting: 64,
  maxAttributes: 10_000,
  maxValues: 2_000_000,
};
