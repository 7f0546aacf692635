import { type KeySelection, wants } from "../model/attribute-plan.ts";
import type { Attributes } from "../model/span.ts";
import type { Value } from "../model/value.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { type Fault, type Findings, tooDeep, tooMany } from "./findings.ts";
import {
  isJsonObject,
  type JsonFields,
  type JsonObject,
  notList,
  notObject,
  notText,
} from "./json-fields.ts";
import {
  notAnyValue,
  notBase64,
  notBool,
  notDouble,
  notInteger,
  readBase64,
  readDouble,
  readInteger,
} from "./json-scalar.ts";
import { noAttributes } from "./span-defaults.ts";

/** Reads attributes and `AnyValue` of OTLP/JSON. Recursion ends at `maxNesting`; keys nobody knows are not followed. */
export class JsonValues {
  readonly #fields: JsonFields;
  readonly #findings: Findings;
  readonly #limits: DecodeLimits;
  readonly #tooDeep: Fault;
  readonly #tooMany: Fault;
  #kept = 0;
  #dropped = 0;
  /** Where the attribute being read stands, for messages: `events[2].attributes`, 3. */
  #list = "";
  #index = 0;
  /** Set while a value outside of any list is read. */
  #alone: string | null = null;

  constructor(fields: JsonFields, findings: Findings, limits: DecodeLimits) {
    this.#fields = fields;
    this.#findings = findings;
    this.#limits = limits;
    this.#tooDeep = tooDeep(limits.maxNesting);
    this.#tooMany = tooMany(limits.maxValues);
  }

  /** How many wanted attributes `attributes` left out since this was asked last, because there were too many. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Counts something that is kept; false, with a mark, when the request has no room for it. */
  keep(field: string): boolean {
    this.#kept += 1;
    if (this.#kept <= this.#limits.maxValues) return true;
    this.#fields.refuse(this.#tooMany, field);
    return false;
  }

  /** `owner.attributes`; `path` is how messages name it. */
  attributes(owner: JsonObject, selection: KeySelection, path: string): Attributes {
    const list = owner.attributes;
    if (list === undefined || list === null) return noAttributes;
    if (!Array.isArray(list)) {
      this.#fields.refuse(notList, path);
      return noAttributes;
    }
    this.#list = path;
    let kept: Map<string, Value> | null = null;
    for (let index = 0; index < list.length; index += 1) {
      const pair: unknown = list[index];
      if (pair === null) continue;
      this.#index = index;
      if (!isJsonObject(pair)) {
        this.#refuse(notObject, "");
        continue;
      }
      const key = this.#key(pair);
      if (key === null) continue;
      if (!wants(selection, key)) {
        this.#checkDepth(pair.value, 0);
        continue;
      }
      kept = this.#put(kept, key, this.#value(pair.value, 0));
    }
    return kept ?? noAttributes;
  }

  /** One AnyValue that is no attribute: a log record's body. Where it is not wanted, only its depth is looked at. */
  body(value: unknown, path: string, wanted: boolean): Value {
    this.#alone = path;
    if (!wanted) this.#checkDepth(value, 0);
    const read = wanted ? this.#value(value, 0) : null;
    this.#alone = null;
    return read;
  }

  #put(before: Map<string, Value> | null, key: string, value: Value): Map<string, Value> {
    const kept = before ?? new Map<string, Value>();
    const size = kept.size;
    if (size >= this.#limits.maxAttributes && !kept.has(key)) {
      this.#dropped += 1;
      return kept;
    }
    if (!this.keep(this.#list)) return kept;
    kept.set(key, value);
    if (kept.size === size) this.#findings.flaw("duplicate_key");
    return kept;
  }

  /** Null where the key is only an index into a table that traces do not have. */
  #key(pair: JsonObject): string | null {
    const key = pair.key;
    const indexed = pair.keyStrindex ?? pair.key_strindex;
    // Compared, not converted: an object here may hold a `toString` of its own.
    const hasIndex = indexed !== undefined && indexed !== null && indexed !== 0 && indexed !== "0";
    if (hasIndex) this.#findings.flaw("strindex");
    if (key === undefined || key === null) return hasIndex ? null : "";
    if (typeof key !== "string") {
      this.#refuse(notText, "key");
      return null;
    }
    return this.#fields.wellFormed(key);
  }

  #value(value: unknown, depth: number): Value {
    if (value === undefined || value === null) return null;
    if (!isJsonObject(value)) {
      this.#refuse(notAnyValue, "value");
      return null;
    }
    const text = value.stringValue;
    if (typeof text === "string") return this.#fields.wellFormed(text);
    let found: Value = null;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === null) continue;
      const name = memberNames.get(key);
      if (name === undefined) continue;
      if (name !== key) this.#findings.flaw("snake_case_key");
      found = this.#member(name, member, depth);
    }
    return found;
  }

  #member(name: MemberName, value: unknown, depth: number): Value {
    switch (name) {
      case "stringValue":
        if (typeof value === "string") return this.#fields.wellFormed(value);
        this.#refuse(notText, "value.stringValue");
        return null;
      case "boolValue":
        if (typeof value === "boolean") return value;
        this.#refuse(notBool, "value.boolValue");
        return null;
      case "intValue":
        return this.#integer(value);
      case "doubleValue":
        return this.#orRefuse(readDouble(value), notDouble, "value.doubleValue");
      case "bytesValue":
        return this.#orRefuse(readBase64(value), notBase64, "value.bytesValue");
      case "arrayValue":
        return this.#array(value, depth + 1);
      case "kvlistValue":
        return this.#pairs(value, depth + 1);
      case "stringValueStrindex":
        this.#findings.flaw("strindex");
        return null;
    }
  }

  #integer(value: unknown): Value {
    const integer = readInteger(value);
    if (integer !== null) return integer;
    this.#fields.refuseHalves(value, this.#path("value.intValue"));
    this.#refuse(notInteger, "value.intValue");
    return null;
  }

  #orRefuse(value: Value, fault: Fault, field: string): Value {
    if (value === null) this.#refuse(fault, field);
    return value;
  }

  #array(value: unknown, depth: number): Value {
    const list = this.#listIn(value, "value.arrayValue", depth);
    if (list === null) return null;
    const values: Value[] = [];
    for (const element of list) {
      const read = this.#value(element, depth);
      if (this.keep(this.#list)) values.push(read);
    }
    return values;
  }

  #pairs(value: unknown, depth: number): Value {
    const list = this.#listIn(value, "value.kvlistValue", depth);
    if (list === null) return null;
    // No prototype: `__proto__` is a key like any other.
    const object = Object.create(null) as { [key: string]: Value };
    for (const pair of list) {
      if (pair === null) continue;
      if (!isJsonObject(pair)) {
        this.#refuse(notObject, "value.kvlistValue.values");
        continue;
      }
      const key = this.#key(pair);
      if (key === null) continue;
      const read = this.#value(pair.value, depth);
      if (!this.keep(this.#list)) continue;
      if (Object.hasOwn(object, key)) this.#findings.flaw("duplicate_key");
      object[key] = read;
    }
    return object;
  }

  #listIn(value: unknown, field: string, depth: number): readonly unknown[] | null {
    if (depth > this.#limits.maxNesting) {
      this.#refuse(this.#tooDeep, "value");
      return null;
    }
    if (!isJsonObject(value)) {
      this.#refuse(notObject, field);
      return null;
    }
    const list = value.values;
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    this.#refuse(notList, `${field}.values`);
    return null;
  }

  /** Looks at nothing but the depth of a value that nobody wants. */
  #checkDepth(value: unknown, depth: number): void {
    if (!isJsonObject(value)) return;
    const array = value.arrayValue ?? value.array_value;
    const pairs = value.kvlistValue ?? value.kvlist_value;
    for (const nested of [array, pairs]) {
      if (!isJsonObject(nested)) continue;
      if (depth >= this.#limits.maxNesting) {
        this.#refuse(this.#tooDeep, "value");
        return;
      }
      const list = nested.values;
      if (!Array.isArray(list)) continue;
      for (const element of list) {
        this.#checkDepth(nested === pairs && isJsonObject(element) ? element.value : element, depth + 1);
      }
    }
  }

  #path(field: string): string {
    if (this.#alone !== null) return field.replace(/^value/, this.#alone);
    const pair = `${this.#list}[${this.#index}]`;
    return field === "" ? pair : `${pair}.${field}`;
  }

  #refuse(fault: Fault, field: string): void {
    this.#fields.refuse(fault, this.#path(field));
  }
}

type MemberName =
  | "stringValue"
  | "boolValue"
  | "intValue"
  | "doubleValue"
  | "arrayValue"
  | "kvlistValue"
  | "bytesValue"
  | "stringValueStrindex";

/** Both spellings of the members of `AnyValue`. */
const memberNames = new Map<string, MemberName>([
  ["stringValue", "stringValue"],
  ["string_value", "stringValue"],
  ["boolValue", "boolValue"],
  ["bool_value", "boolValue"],
  ["intValue", "intValue"],
  ["int_value", "intValue"],
  ["doubleValue", "doubleValue"],
  ["double_value", "doubleValue"],
  ["arrayValue", "arrayValue"],
  ["array_value", "arrayValue"],
  ["kvlistValue", "kvlistValue"],
  ["kvlist_value", "kvlistValue"],
  ["bytesValue", "bytesValue"],
  ["bytes_value", "bytesValue"],
  ["stringValueStrindex", "stringValueStrindex"],
  ["string_value_strindex", "stringValueStrindex"],
]);
