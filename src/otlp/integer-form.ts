/** Whether a number is written as an OTLP integer. Minus zero is a double: integers have none. */
export function isWrittenAsInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
