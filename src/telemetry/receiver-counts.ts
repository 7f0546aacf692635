import type { RejectReason, WireFlaw } from "../model/span.ts";
import type { Telemetry } from "./registry.ts";

interface Labels {
  readonly transport: string;
  readonly encoding: string;
  readonly outcome: string;
}

/** Where the receiver counts; fits its `ReceiverTelemetry`. */
export function createReceiverCounts({ series }: Telemetry) {
  return {
    addRequest: ({ transport, encoding, outcome }: Labels) =>
      series.receiverRequests.add({ transport, encoding, outcome }),
    addBytes: ({ transport, encoding, outcome }: Labels, bytes: number) =>
      series.receiverBytes.add({ transport, encoding, outcome }, bytes),
    addSpans: ({ transport, encoding, outcome }: Labels, count: number) =>
      series.receiverSpans.add({ transport, encoding, outcome }, count),
    addLogRecords: ({ transport, encoding, outcome }: Labels, count: number) =>
      series.receiverLogRecords.add({ transport, encoding, outcome }, count),
    addRejected: (reason: RejectReason, count: number) => series.receiverRejections.add({ reason }, count),
    addFlaw: (flaw: WireFlaw, count: number) => series.dataQuality.add({ flaw }, count),
  };
}
