/**
 * The kinds of value that settings have, as zod types: each reads what a person writes (`10s`, `64MiB`,
 * `127.0.0.1:4318`) and gives what the code uses.
 */
import * as z from "zod";
import { type DurationNano, parseDuration } from "../model/time.ts";

/** Where a server listens. Port 0 lets the system choose. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Advice behind a message; `config/problems` takes the two apart again. */
export const cure = (message: string, advice: string): string => `${message}\n${advice}`;

/** The code that `notYet` problems carry in their parameters. */
export const notYetCode = "not-in-this-version";

/** A key that people may know from the plan or from a Collector, and that this version does not act on. */
export const notYet = (what: string) =>
  z
    .unknown()
    .refine((value) => value === undefined, {
      error: cure(`${what} is not in this version`, "Remove the key: it would be silently without effect."),
      params: { code: notYetCode },
    })
    .optional();

/** A length of time with its unit. Zero is refused unless asked for. */
export const duration = (options: { readonly zero?: boolean } = {}) =>
  z
    .string({
      error: cure(
        "a length of time is expected",
        "Write a number with its unit, such as 10s, 1m30s or 250ms.",
      ),
    })
    .transform((text, context): DurationNano => {
      const parsed = parseDuration(text);
      if (parsed !== null && (parsed > 0n || options.zero === true)) return parsed;
      context.addIssue({
        code: "custom",
        message:
          parsed === null
            ? cure(
                `${quote(text)} is not a length of time`,
                "Write a number with its unit, such as 10s, 1m30s or 250ms.",
              )
            : cure("this length of time may not be zero", "Write at least 1ns."),
      });
      return z.NEVER;
    });

const sizeUnits = new Map([
  ["", 1],
  ["B", 1],
  ["KB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);

/** Bytes: `64MiB`, or a plain number as the Collector takes it. */
export const size = () =>
  z
    .union([z.string(), z.number()], {
      error: cure(
        "a size is expected",
        "Write a number with its unit, such as 64MiB, or a plain number of bytes.",
      ),
    })
    .transform((value, context): number => {
      const [, count = "", name = ""] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(String(value)) ?? [];
      const unit = sizeUnits.get(name);
      const bytes = count === "" || unit === undefined ? Number.NaN : Math.round(Number(count) * unit);
      if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
      context.addIssue({
        code: "custom",
        message: cure(
          `${quote(String(value))} is not a size`,
          "Write a number with its unit (KiB, MiB, GiB, KB, MB, GB), such as 64MiB, above 0.",
        ),
      });
      return z.NEVER;
    });

/** A whole number of things. */
export const count = (least = 1) =>
  z
    .int({ error: cure("a whole number is expected", `Write a whole number of at least ${least}.`) })
    .min(least, { error: cure("the number is too small", `Write a whole number of at least ${least}.`) });

/** `host:port`, `[::1]:port`. A bare `:port` would listen on every interface, so the host must be said. */
export const endpoint = () =>
  z
    .string({ error: cure("an address is expected", "Write host:port, such as 127.0.0.1:4318.") })
    .transform((text, context): Endpoint => {
      const parsed = parseEndpoint(text);
      if (parsed !== null) return parsed;
      context.addIssue({
        code: "custom",
        message: cure(
          `${quote(text)} is not an address to listen on`,
          text.startsWith(":")
            ? `Say the interface too: 127.0.0.1${text} for this machine alone, 0.0.0.0${text} for every interface.`
            : "Write host:port, such as 127.0.0.1:4318 or [::1]:4318, with a port from 0 to 65535.",
        ),
      });
      return z.NEVER;
    });

export function parseEndpoint(text: string): Endpoint | null {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  return host !== undefined && port <= 65_535 ? { host, port } : null;
}

export const formatEndpoint = ({ host, port }: Endpoint): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/** The largest unit that divides it, so that what was written as 64MiB is printed so. */
export function formatSize(bytes: number): string {
  for (const [name, unit] of [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024],
  ] as const) {
    if (bytes % unit === 0) return `${bytes / unit}${name}`;
  }
  return `${bytes}B`;
}

export const quote = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
