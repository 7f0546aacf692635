/**
 * The operators' routes: `/metrics`, `/livez`, `/readyz`. Plain GETs that change nothing, answered also while
 * the service refuses work, since that is when somebody looks.
 */
import express, { type Express } from "express";

/** What `/readyz` says, and by which status. */
export interface Readiness {
  readonly ready: boolean;
  /** One word: `ready`, `starting` or `draining`. */
  readonly state: string;
  readonly journal: string;
  readonly durability: string;
  readonly contracts: number;
  readonly rules: number;
  readonly warnings: readonly string[];
}

export interface OperatorsDeps {
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly readiness: () => Readiness;
  /** Host names by which this port may be called, without the port. */
  readonly allowedHosts: readonly string[];
  readonly onFault: (error: unknown) => void;
}

export function createOperatorsApp(deps: OperatorsDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  const allowed = new Set([...alwaysAllowed, ...deps.allowedHosts].map((host) => host.toLowerCase()));

  app.use((request, response, next) => {
    response.set({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    const host = hostName(request.headers.host);
    if (host !== null && (allowed.has(host) || isAddress(host))) return next();
    response.status(403).json({
      error: `this port does not answer to the host name ${JSON.stringify(host ?? "")}`,
      advice: "Call it by its address, or add the name to exporters.prometheus.allowed_hosts.",
    });
  });

  app.get("/metrics", async (_request, response) => {
    const { contentType, body } = await deps.metrics();
    // `send` would rewrite the media type's parameters; a scrape fails when the version is gone.
    response.setHeader("content-type", contentType);
    response.end(body);
  });

  app.get("/livez", (_request, response) => {
    response.json({ alive: true });
  });

  app.get("/readyz", (_request, response) => {
    const readiness = deps.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });

  app.all(["/metrics", "/livez", "/readyz"], (request, response) => {
    response
      .set("allow", "GET, HEAD")
      .status(405)
      .json({ error: `${request.method} is not answered here; use GET` });
  });

  app.use((request, response) => {
    response.status(404).json({
      error: `nothing is at ${request.path}`,
      advice: "This port has /metrics, /livez and /readyz; spans go to the receiver's port.",
    });
  });

  app.use(((error, _request, response, next) => {
    deps.onFault(error);
    if (response.headersSent) return next(error);
    response.status(statusOf(error)).json({ error: "a fault inside the service; its log says more" });
  }) satisfies express.ErrorRequestHandler);

  return app;
}

const alwaysAllowed = ["localhost"];

/**
 * The name in a Host header, without its port. A page that lets its own name point at this machine sends that
 * name here: so names are checked, and addresses, which cannot be pointed elsewhere, are not.
 */
export function hostName(header: string | undefined): string | null {
  const found = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/@]+)(?::\d{1,5})?$/.exec(header ?? "");
  return found?.[1]?.toLowerCase().replace(/\.$/, "") ?? null;
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}

/** Express names a client's mistake (a path that does not decode) by its status. */
function statusOf(error: unknown): number {
  const status =
    typeof error === "object" && error !== null && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : 500;
}
