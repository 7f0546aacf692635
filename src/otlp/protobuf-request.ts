import type { Rejection, Resource, Scope, WireFlaw } from "../model/span.ts";
import type { Value } from "../model/value.ts";
import { ValueReader } from "./any-value.ts";
import { AttributeReader } from "./attribute-reader.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { type Fault, Findings, tooDeep, tooMany } from "./findings.ts";
import type { FieldFault } from "./id-reader.ts";
import { keyTable } from "./key-table.ts";
import type { SignalNames } from "./signal-names.ts";
import { noAttributes, wholeSelection } from "./span-defaults.ts";
import { TextTable } from "./text-table.ts";
import { WireReader } from "./wire-reader.ts";

/** Strings repeat from batch to batch, so the table outlives one. It holds copies and is of fixed size. */
const sharedTexts = new TextTable();

interface Draft<T> {
  value: { -readonly [K in keyof T]: T[K] };
  attributes: Map<string, Value> | null;
}

/** Reads one span or log record: what a request holds under its resources and scopes. */
export interface ItemReader<Item> {
  /** Reads the item that ends at `end`, always whole; null when it is refused or nobody wants it. */
  read(end: number, resource: Resource, scope: Scope): Item | null;
  /** The id for which the last one is refused; null when none of its ids is at fault. */
  fault(hasBadValue: boolean): FieldFault | null;
}

export interface DecodedItems<Item> {
  readonly items: readonly Item[];
  /** Read, well-formed, and wanted by nobody. */
  readonly passedOver: number;
  readonly rejections: readonly Rejection[];
  readonly flaws: ReadonlyMap<WireFlaw, number>;
}

/**
 * The upper levels of one request: which items stand under which resource and scope. Traces and logs have the same
 * ones, field for field.
 */
export class ProtobufRequest<Item> {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #attributes: AttributeReader;
  readonly #items: ItemReader<Item>;
  readonly #names: SignalNames;
  readonly #findings = new Findings();
  readonly #tooDeep: Fault;
  readonly #tooMany: Fault;
  readonly #wholeTable = keyTable(wholeSelection);
  readonly #kept: Item[] = [];
  #passedOver = 0;
  #resourceIndex = -1;

  constructor(
    body: Uint8Array,
    limits: DecodeLimits,
    names: SignalNames,
    createItems: (reader: WireReader, values: ValueReader, attributes: AttributeReader) => ItemReader<Item>,
  ) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#reader = new WireReader(bytes);
    this.#values = new ValueReader(this.#reader, bytes, sharedTexts, limits);
    this.#attributes = new AttributeReader(this.#reader, this.#values, limits.maxAttributes);
    this.#items = createItems(this.#reader, this.#values, this.#attributes);
    this.#names = names;
    this.#tooDeep = tooDeep(limits.maxNesting);
    this.#tooMany = tooMany(limits.maxValues);
    sharedTexts.invalid = 0;
  }

  decode(): DecodedItems<Item> {
    const reader = this.#reader;
    const end = reader.bytes.length;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== resourceItemsTag) {
        reader.skip(tag, end);
        continue;
      }
      this.#resourceIndex += 1;
      this.#resourceItems(reader.payload(end));
    }
    this.#findings.flaw("invalid_utf8", sharedTexts.invalid);
    this.#findings.flaw("strindex", this.#values.strindexes);
    this.#findings.flaw("duplicate_key", this.#values.duplicateKeys);
    const { rejections, flaws } = this.#findings;
    return { items: this.#kept, passedOver: this.#passedOver, rejections, flaws };
  }

  #resourceItems(end: number): void {
    const reader = this.#reader;
    const first = this.#kept.length;
    // Items refer to the resource before it is read: it may stand behind them.
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
      } else if (tag === scopeItemsTag) {
        scopeIndex += 1;
        this.#scopeItems(reader.payload(end), draft.value, scopeIndex);
      } else {
        reader.skip(tag, end);
      }
    }
    if (fault !== null) this.#refuseFrom(first, fault, () => `${this.#resourcePath()}.resource`);
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

  #scopeItems(end: number, resource: Resource, scopeIndex: number): void {
    const reader = this.#reader;
    const first = this.#kept.length;
    const draft: Draft<Scope> = {
      value: { name: "", version: "", attributes: noAttributes },
      attributes: null,
    };
    let index = -1;
    let fault: Fault | null = null;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === itemsTag) {
        index += 1;
        this.#item(reader.payload(end), resource, draft.value, scopeIndex, index);
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

  #item(end: number, resource: Resource, scope: Scope, scopeIndex: number, index: number): void {
    const item = this.#items.read(end, resource, scope);
    const valueFault = this.#takeFault();
    if (item !== null && valueFault === null) {
      this.#kept.push(item);
      return;
    }
    const place = (): string => `${this.#scopePath(scopeIndex)}.${this.#names.items}[${index}]`;
    const idFault = this.#items.fault(valueFault !== null);
    if (idFault !== null) this.#findings.reject(idFault.fault, () => `${place()}.${idFault.field}`);
    else if (valueFault !== null) this.#findings.reject(valueFault, place);
    else this.#passedOver += 1;
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

  /** A resource or scope that cannot be kept takes its items with it: rules may ask for what it said. */
  #refuseFrom(first: number, fault: Fault, place: () => string): void {
    const count = this.#kept.length - first;
    this.#kept.length = first;
    if (count > 0) this.#findings.reject(fault, place, count);
  }

  #resourcePath(): string {
    return `${this.#names.upper}[${this.#resourceIndex}]`;
  }

  #scopePath(scopeIndex: number): string {
    return `${this.#resourcePath()}.${this.#names.scoped}[${scopeIndex}]`;
  }
}

const resourceItemsTag = (1 << 3) | 2;
const resourceTag = (1 << 3) | 2;
const scopeItemsTag = (2 << 3) | 2;
const resourceAttributesTag = (1 << 3) | 2;
const resourceDroppedTag = (2 << 3) | 0;
const scopeTag = (1 << 3) | 2;
const itemsTag = (2 << 3) | 2;
const scopeNameTag = (1 << 3) | 2;
const scopeVersionTag = (2 << 3) | 2;
const scopeAttributesTag = (3 << 3) | 2;
