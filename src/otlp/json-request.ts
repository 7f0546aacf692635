import type { Resource, Scope } from "../model/span.ts";
import { DecodeError } from "./decode-error.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import type { Fault, Findings } from "./findings.ts";
import { isJsonObject, JsonFields, type JsonObject, notObject } from "./json-fields.ts";
import { JsonValues } from "./json-value.ts";
import type { JsonSignalNames } from "./signal-names.ts";
import { wholeSelection } from "./span-defaults.ts";

/** Reads one span or log record. What is wrong with it is marked in `JsonFields`; the mark refuses it. */
export interface JsonItemReader<Item> {
  /** Null where nobody wants it. */
  read(item: JsonObject, resource: Resource, scope: Scope): Item | null;
}

/** The upper levels of one parsed request, which traces and logs share but for their names. */
export class JsonRequest<Item> {
  readonly #names: JsonSignalNames;
  readonly #findings: Findings;
  readonly #fields: JsonFields;
  readonly #values: JsonValues;
  readonly #items: JsonItemReader<Item>;
  readonly #kept: Item[] = [];
  passedOver = 0;
  #resourceIndex = 0;
  #scopeIndex = 0;
  #itemIndex = 0;

  constructor(
    findings: Findings,
    limits: DecodeLimits,
    names: JsonSignalNames,
    createItems: (fields: JsonFields, values: JsonValues) => JsonItemReader<Item>,
  ) {
    this.#names = names;
    this.#findings = findings;
    this.#fields = new JsonFields(findings);
    this.#values = new JsonValues(this.#fields, findings, limits);
    this.#items = createItems(this.#fields, this.#values);
  }

  request(root: unknown): readonly Item[] {
    const { upper, snake, message } = this.#names;
    if (!isJsonObject(root)) {
      const kind = root === null ? "null" : Array.isArray(root) ? "an array" : `a ${typeof root}`;
      throw new DecodeError(
        `JSON body: the root is ${kind} and must be an object. Send one ${message}: {"${upper}": […]}`,
        0,
      );
    }
    const list = this.#upperList(root, upper, snake.upper, "");
    for (const [index, entry] of list.entries()) {
      if (entry === null) continue;
      this.#resourceIndex = index;
      this.#resourceItems(this.#upperObject(entry, this.#resourcePath()));
    }
    return this.#kept;
  }

  #resourceItems(entry: JsonObject): void {
    const { scoped, snake } = this.#names;
    const first = this.#kept.length;
    this.#fields.place = () => `${this.#resourcePath()}.resource`;
    const resource = this.#resource(entry);
    const refused = this.#fields.takeFault();
    const list = this.#upperList(entry, scoped, snake.scoped, `${this.#resourcePath()}.`);
    for (const [index, scopeEntry] of list.entries()) {
      if (scopeEntry === null) continue;
      this.#scopeIndex = index;
      this.#scopeItems(this.#upperObject(scopeEntry, this.#scopePath()), resource);
    }
    if (refused !== null) this.#refuseFrom(first, refused, () => `${this.#resourcePath()}.resource`);
  }

  #scopeItems(entry: JsonObject, resource: Resource): void {
    const { items, snake } = this.#names;
    const first = this.#kept.length;
    this.#fields.place = () => `${this.#scopePath()}.scope`;
    const scope = this.#scope(entry);
    const refused = this.#fields.takeFault();
    const list = this.#upperList(entry, items, snake.items, `${this.#scopePath()}.`);
    this.#fields.place = () => `${this.#scopePath()}.${items}[${this.#itemIndex}]`;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      if (item === null) continue;
      this.#itemIndex = index;
      this.#item(item, resource, scope);
    }
    if (refused !== null) this.#refuseFrom(first, refused, () => `${this.#scopePath()}.scope`);
  }

  #resource(entry: JsonObject): Resource {
    const resource = this.#fields.object(entry, "resource", "");
    const attributes = this.#values.attributes(resource, wholeSelection, "attributes");
    const dropped = this.#fields.count(resource, "droppedAttributesCount", "dropped_attributes_count");
    return { attributes, droppedAttributes: dropped + this.#values.takeDropped() };
  }

  #scope(entry: JsonObject): Scope {
    const scope = this.#fields.object(entry, "scope", "");
    const attributes = this.#values.attributes(scope, wholeSelection, "attributes");
    this.#values.takeDropped();
    return {
      name: this.#fields.text(scope, "name", "name"),
      version: this.#fields.text(scope, "version", "version"),
      attributes,
    };
  }

  #item(value: unknown, resource: Resource, scope: Scope): void {
    let item: Item | null = null;
    if (isJsonObject(value)) item = this.#items.read(value, resource, scope);
    else this.#fields.refuse(notObject, "");
    const refused = this.#fields.takeFault();
    if (refused !== null) {
      const { place } = this.#fields;
      const { field } = refused;
      this.#findings.reject(refused.fault, () => (field === "" ? place() : `${place()}.${field}`));
    } else if (item !== null) {
      this.#kept.push(item);
    } else {
      this.passedOver += 1;
    }
  }

  /** A list above the items: what is not a list there hides items that nobody could count. */
  #upperList(owner: JsonObject, camel: string, snake: string, path: string): readonly unknown[] {
    const value = this.#fields.get(owner, camel, snake);
    if (value === undefined) return noList;
    if (Array.isArray(value)) return value;
    throw new DecodeError(`JSON body: ${path}${camel} is not an array; send a JSON array`);
  }

  #upperObject(value: unknown, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    throw new DecodeError(`JSON body: ${path} is not an object; send a JSON object`);
  }

  /** A resource or scope that cannot be kept takes its items with it: rules may ask for what it said. */
  #refuseFrom(
    first: number,
    refused: { readonly fault: Fault; readonly field: string },
    place: () => string,
  ): void {
    const count = this.#kept.length - first;
    this.#kept.length = first;
    if (count === 0) return;
    const { fault, field } = refused;
    this.#findings.reject(fault, () => (field === "" ? place() : `${place()}.${field}`), count);
  }

  #resourcePath(): string {
    return `${this.#names.upper}[${this.#resourceIndex}]`;
  }

  #scopePath(): string {
    return `${this.#resourcePath()}.${this.#names.scoped}[${this.#scopeIndex}]`;
  }
}

const noList: readonly unknown[] = [];
