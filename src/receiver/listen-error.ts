/** A server that could not be opened: says which address, where it is set, why, and what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** The system's code, such as EADDRINUSE. */
  readonly code: string;
  /** `host:port` as asked for. */
  readonly address: string;

  /** `key`: where the address stands in the configuration. */
  constructor(key: string, address: string, cause: NodeJS.ErrnoException) {
    const code = cause.code ?? "unknown";
    super(`${key}: cannot listen on ${address}: ${explain(code, cause.message)}`, { cause });
    this.code = code;
    this.address = address;
  }
}

function explain(code: string, message: string): string {
  switch (code) {
    case "EADDRINUSE":
      return "the port is in use by another process. Stop that one (perhaps a second toolorder, or a Collector), or set another port";
    case "EACCES":
      return "this user may not open that port. Set one above 1023, or grant the right to open it";
    case "EADDRNOTAVAIL":
      return "no network interface of this machine has that address. Set 127.0.0.1, 0.0.0.0, or one that it has";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "that host name has no address. Correct it, or set an address";
    default:
      return `${message}. Set another address`;
  }
}
