import type { AttributePlan } from "../model/attribute-plan.ts";
import type { DecodedTraces, Resource, Scope, Span } from "../model/span.ts";
import type { Value } from "../model/value.ts";
import { ValueReader } from "./any-value.ts";
import { AttributeReader } from "./attribute-reader.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { type Fault, Findings, tooDeep, tooMany } from "./findings.ts";
import { keyTable } from "./key-table.ts";
import { SpanReader } from "./protobuf-span.ts";
import { noAttributes, wholeSelection } from "./span-defaults.ts";
import { TextTable } from "./text-table.ts";
import { WireReader } from "./wire-reader.ts";

/** Strings repeat from batch to batch, so the table outlives one. It holds copies and is of fixed size. */
const sharedTexts = new TextTable();

interface Draft<T> {
  value: { -readonly [K in keyof T]: T[K] };
  attributes: Map<string, Value> | null;
}

/** The upper levels of one request: which spans stand under which resource and scope. */
export class ProtobufTraces {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #attributes: AttributeReader;
  readonly #spanReader: SpanReader;
  readonly #findings = new Findings();
  readonly #tooDeep: Fault;
  readonly #tooMany: Fault;
  readonly #wholeTable = keyTable(wholeSelection);
  readonly #spans: Span[] = [];
  #resourceIndex = -1;

  constructor(body: Uint8Array, plan: AttributePlan, limits: DecodeLimits) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#reader = new WireReader(bytes);
    this.#values = new ValueReader(this.#reader, bytes, sharedTexts, limits);
    this.#attributes = new AttributeReader(this.#reader, this.#values, limits.maxAttributes);
    this.#spanReader = new SpanReader(this.#reader, this.#values, this.#attributes, plan);
    this.#tooDeep = tooDeep(limits.maxNesting);
    this.#tooMany = tooMany(limits.maxValues);
    sharedTexts.invalid = 0;
  }

  decode(): DecodedTraces {
    const reader = this.#reader;
    const end = reader.bytes.length;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== resourceSpansTag) {
        reader.skip(tag, end);
        continue;
      }
      this.#resourceIndex += 1;
      this.#resourceSpans(reader.payload(end));
    }
    this.#findings.flaw("invalid_utf8", sharedTexts.invalid);
    this.#findings.flaw("strindex", this.#values.strindexes);
    this.#findings.flaw("duplicate_key", this.#values.duplicateKeys);
    return { spans: this.#spans, rejections: this.#findings.rejections, flaws: this.#findings.flaws };
  }

  #resourceSpans(end: number): void {
    const reader = this.#reader;
    const first = this.#spans.length;
    // Spans refer to the resource before it is read: it may stand behind them.
    const draft: Draft<Resource> = {
      value: { attributes: noAttributes, droppedAttributes: 0 },
      attributes: null,
    };
    let scopeIndex = -1;
    let fault: Fault | null = null;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === resourceTag) {
        this.#resource(reader.payload(end), draft);
        fault ??= this.#takeFault();
      } else if (tag === scopeSpansTag) {
        scopeIndex += 1;
        this.#scopeSpans(reader.payload(end), draft.value, scopeIndex);
      } else {
        reader.skip(tag, end);
      }
    }
    if (fault !== null)
      this.#refuseFrom(first, fault, () => `resource_spans[${this.#resourceIndex}].resource`);
  }

  #resource(end: number, draft: Draft<Resource>): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === resourceAttributesTag) {
        draft.attributes = this.#attributes.read(reader.payload(end), this.#wholeTable, draft.attributes);
      } else if (tag === resourceDroppedTag) {
        draft.value.droppedAttributes = reader.uint32(end);
      } else {
        reader.skip(tag, end);
      }
    }
    draft.value.attributes = draft.attributes ?? noAttributes;
    draft.value.droppedAttributes += this.#attributes.takeDropped();
  }

  #scopeSpans(end: number, resource: Resource, scopeIndex: number): void {
    const reader = this.#reader;
    const first = this.#spans.length;
    const draft: Draft<Scope> = {
      value: { name: "", version: "", attributes: noAttributes },
      attributes: null,
    };
    let spanIndex = -1;
    let fault: Fault | null = null;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === spansTag) {
        spanIndex += 1;
        this.#span(reader.payload(end), resource, draft.value, scopeIndex, spanIndex);
      } else if (tag === scopeTag) {
        this.#scope(reader.payload(end), draft);
        fault ??= this.#takeFault();
      } else {
        reader.skip(tag, end);
      }
    }
    if (fault !== null) this.#refuseFrom(first, fault, () => `${this.#scopePath(scopeIndex)}.scope`);
  }

  #scope(end: number, draft: Draft<Scope>): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === scopeAttributesTag) {
        draft.attributes = this.#attributes.read(reader.payload(end), this.#wholeTable, draft.attributes);
      } else if (tag === scopeNameTag || tag === scopeVersionTag) {
        const stop = reader.payload(end);
        const text = this.#values.text(reader.position, stop);
        reader.position = stop;
        if (tag === scopeNameTag) draft.value.name = text;
        else draft.value.version = text;
      } else {
        reader.skip(tag, end);
      }
    }
    draft.value.attributes = draft.attributes ?? noAttributes;
    this.#attributes.takeDropped();
  }

  #span(end: number, resource: Resource, scope: Scope, scopeIndex: number, spanIndex: number): void {
    const span = this.#spanReader.read(end, resource, scope);
    const valueFault = this.#takeFault();
    if (span !== null && valueFault === null) {
      this.#spans.push(span);
      return;
    }
    const place = (): string => `${this.#scopePath(scopeIndex)}.spans[${spanIndex}]`;
    const idFault = this.#spanReader.idFault ?? (valueFault === null ? this.#spanReader.linkFault : null);
    if (idFault !== null) this.#findings.reject(idFault.fault, () => `${place()}.${idFault.field}`);
    else if (valueFault !== null) this.#findings.reject(valueFault, place);
  }

  /** What the value reader marked since it was asked last. */
  #takeFault(): Fault | null {
    const values = this.#values;
    if (!values.tooDeep && !values.tooMany) return null;
    const fault = values.tooDeep ? this.#tooDeep : this.#tooMany;
    values.tooDeep = false;
    values.tooMany = false;
    return fault;
  }

  /** A resource or scope that cannot be kept takes its spans with it: rules may ask for what it said. */
  #refuseFrom(first: number, fault: Fault, place: () => string): void {
    const count = this.#spans.length - first;
    this.#spans.length = first;
    if (count > 0) this.#findings.reject(fault, place, count);
  }

  #scopePath(scopeIndex: number): string {
    return `resource_spans[${this.#resourceIndex}].scope_spans[${scopeIndex}]`;
  }
}

const resourceSpansTag = (1 << 3) | 2;
const resourceTag = (1 << 3) | 2;
const scopeSpansTag = (2 << 3) | 2;
const resourceAttributesTag = (1 << 3) | 2;
const resourceDroppedTag = (2 << 3) | 0;
const scopeTag = (1 << 3) | 2;
const spansTag = (2 << 3) | 2;
const scopeNameTag = (1 << 3) | 2;
const scopeVersionTag = (2 << 3) | 2;
const scopeAttributesTag = (3 << 3) | 2;
