/** A file or option that cannot be used: where, why, and what to do about it. Ends the command with exit code 2. */
export class InputError extends Error {
  /** `traces/run.json`, or `traces/run.json:12`; the option's name where no file is concerned. */
  readonly place: string;
  readonly cure: string;

  constructor(place: string, cause: string, cure: string) {
    super(cause);
    this.name = "InputError";
    this.place = place;
    this.cure = cure;
  }
}

export function inputErrorText(error: InputError): string {
  return `${error.place}: ${error.message}\n  advice: ${error.cure}\n`;
}
