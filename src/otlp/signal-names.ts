/** How one encoding calls the levels of a request, for reading and for messages. */
export interface SignalNames {
  /** `resource_spans`: the list at the top. */
  readonly upper: string;
  /** `scope_spans`: the list inside of it. */
  readonly scoped: string;
  /** `spans`: what stands in that. */
  readonly items: string;
  /** Name of the whole message. */
  readonly message: string;
}

export const tracesInProtobuf: SignalNames = {
  upper: "resource_spans",
  scoped: "scope_spans",
  items: "spans",
  message: "ExportTraceServiceRequest",
};

export const logsInProtobuf: SignalNames = {
  upper: "resource_logs",
  scoped: "scope_logs",
  items: "log_records",
  message: "ExportLogsServiceRequest",
};

/** JSON's spelling, and the one of protobuf that is taken too and counted. */
export interface JsonSignalNames extends SignalNames {
  readonly snake: SignalNames;
}

export const tracesInJson: JsonSignalNames = {
  upper: "resourceSpans",
  scoped: "scopeSpans",
  items: "spans",
  message: tracesInProtobuf.message,
  snake: tracesInProtobuf,
};

export const logsInJson: JsonSignalNames = {
  upper: "resourceLogs",
  scoped: "scopeLogs",
  items: "logRecords",
  message: logsInProtobuf.message,
  snake: logsInProtobuf,
};
