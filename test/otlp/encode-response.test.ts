import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeLogsResponse, encodeStatus, encodeTraceResponse } from "../../src/otlp/encode-response.ts";
import { logsResponseType, responseType, statusType } from "./trace-schema.ts";

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
const message = "resource_spans[0].spans[1].trace_id is empty; größer";

describe("responses", () => {
  it("OTLP-3: full success is an empty body, and {} in JSON", () => {
    for (const partial of [null, { rejected: 0, errorMessage: "" }]) {
      assert.equal(encodeTraceResponse("protobuf", partial).length, 0);
      assert.equal(asText(encodeTraceResponse("json", partial)), "{}");
    }
  });

  it("OTLP-27: partial success says how many and why", () => {
    for (const rejectedSpans of [1, 127, 128, 300_000, 2 ** 40]) {
      const partial = { rejected: rejectedSpans, errorMessage: message };
      assert.deepEqual(
        responseType.toObject(responseType.decode(encodeTraceResponse("protobuf", partial)), {
          longs: Number,
        }),
        { partialSuccess: { rejectedSpans, errorMessage: message } },
      );
      assert.deepEqual(JSON.parse(asText(encodeTraceResponse("json", partial))), {
        partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage: message },
      });
    }
  });

  it("OTLP-27: of log records the count has another name in JSON, and the same place in protobuf", () => {
    const partial = { rejected: 3, errorMessage: message };
    assert.deepEqual(JSON.parse(asText(encodeLogsResponse("json", partial))), {
      partialSuccess: { rejectedLogRecords: "3", errorMessage: message },
    });
    const told = logsResponseType.decode(encodeLogsResponse("protobuf", partial));
    assert.deepEqual(logsResponseType.toObject(told, { longs: Number }), {
      partialSuccess: { rejectedLogRecords: 3, errorMessage: message },
    });
    assert.equal(encodeLogsResponse("protobuf", null).length, 0);
    assert.equal(asText(encodeLogsResponse("json", null)), "{}");
  });

  it("OTLP-29: a warning has a message and no rejected spans", () => {
    const warning = { rejected: 0, errorMessage: message };
    assert.deepEqual(responseType.toObject(responseType.decode(encodeTraceResponse("protobuf", warning))), {
      partialSuccess: { errorMessage: message },
    });
    assert.deepEqual(JSON.parse(asText(encodeTraceResponse("json", warning))), {
      partialSuccess: { errorMessage: message },
    });
  });

  it("OTLP-23: a Status in either encoding", () => {
    const status = { code: 3, message };
    assert.deepEqual(statusType.toObject(statusType.decode(encodeStatus("protobuf", status))), status);
    assert.deepEqual(JSON.parse(asText(encodeStatus("json", status))), status);
    assert.deepEqual(JSON.parse(asText(encodeStatus("json", { code: 0, message }))), { message });
    assert.deepEqual(statusType.toObject(statusType.decode(encodeStatus("protobuf", { code: 0, message }))), {
      message,
    });
  });
});
