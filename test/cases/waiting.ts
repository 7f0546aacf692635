/** Cases whose rules need what a later version brings, by what they wait for. */
export const waiting: ReadonlyMap<string, string> = new Map([
  ["S1-25", "scope all"],
  ["S3-16", "scope all"],
]);
