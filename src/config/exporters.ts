import * as z from "zod";
import { type Endpoint, endpoint, notYet } from "./kinds.ts";

/** Source: `exporters.prometheus`. */
export interface PrometheusConfig {
  readonly endpoint: Endpoint;
  /**
   * Names by which a `Host` header may call this port, besides its own address and localhost. Others are
   * refused: a web page could otherwise read the operators' port through a name that it points here.
   */
  readonly allowedHosts: readonly string[];
}

/** Loopback: rule names and services are nobody else's business until somebody says so. */
export const defaultPrometheus: PrometheusConfig = {
  endpoint: { host: "127.0.0.1", port: 9464 },
  allowedHosts: [],
};

export const exporters = z.strictObject({
  prometheus: z
    .strictObject({ endpoint: endpoint().optional(), allowed_hosts: z.array(z.string()).optional() })
    .nullable()
    .transform(
      (given): PrometheusConfig => ({
        endpoint: given?.endpoint ?? defaultPrometheus.endpoint,
        allowedHosts: given?.allowed_hosts ?? defaultPrometheus.allowedHosts,
      }),
    ),
  otlp: notYet("forwarding over OTLP/gRPC"),
  otlp_http: notYet("sending violation spans over OTLP"),
  webhook: notYet("a webhook"),
});
