/**
 * Reads a file of contract cases: events and rules, with the verdicts that must come of them.
 *
 *   version: 1
 *   defaults: {clock: {skew_ms: 50, tie: unknown}, closed: true}
 *   contracts: [contract.yaml]            # or `contract: {…}` here, or `rules: […]` in each case
 *   cases:
 *     - id: read-before-check
 *       events: [{id: e1, name: get_customer_plan}, {id: e2, name: check_requester_authorization}]
 *       expect: [{rule: auth-gate, verdict: violated, code: witness_late}]
 *
 * `trace: incident.json` stands for `events:` where a run is already recorded. What `expect` leaves out is not
 * checked. Everything that cannot be a case is refused with its line.
 */
import { dirname, join } from "node:path";
import type { Verdict } from "../model/verdict.ts";
import { type MapNode, type Plain, parseYaml, plainValue, type SourceNode } from "../source/yaml-source.ts";
import {
  flagAt,
  mapAt,
  mapsAt,
  nameAt,
  numberAt,
  onlyKeys,
  type PlainMap,
  plainAt,
  plainMapAt,
  problemAt,
  textsAt,
  wordAt,
} from "./case-nodes.ts";
import { InputError } from "./input-error.ts";

export interface CaseFile {
  readonly file: string;
  readonly cases: readonly ContractCase[];
}

export interface ContractCase {
  readonly id: string;
  readonly title: string | null;
  /** Where it stands: `semantics.yaml:31`. */
  readonly place: string;
  /** Clock policy of the file and the case, as written; the case's keys win. */
  readonly clock: PlainMap;
  /** Default scope of its rules; null: their own. */
  readonly scope: Plain;
  /** Rules of the case alone; null: the file's contracts judge it. */
  readonly rules: readonly PlainMap[] | null;
  /** The file's contract, written in place. */
  readonly contract: PlainMap | null;
  /** Paths of contracts, from the working directory. */
  readonly contracts: readonly string[];
  readonly events: readonly PlainMap[];
  /** Path of a recorded trace instead of events. */
  readonly trace: string | null;
  readonly snapshots: readonly Snapshot[];
}

/** A moment at which verdicts are compared. */
export interface Snapshot {
  /** Events that arrived up to here; null: all. */
  readonly upto: number | null;
  /** Everything before this event time, in milliseconds, is complete. */
  readonly watermark: number | null;
  readonly closed: boolean;
  readonly expect: readonly Expectation[];
}

export interface Expectation {
  readonly rule: string;
  /** Run, conversation or `all`; null: over every scope of the rule, folded. */
  readonly run: string | null;
  readonly verdict: Verdict | null;
  readonly final: boolean | null;
  readonly code: string | null;
  readonly action: string | null;
  readonly instances: ReadonlyMap<string, string>;
  readonly value: number | null;
  readonly anomaly: string | null;
  readonly revises: boolean;
}

const fileKeys = ["version", "language", "defaults", "contract", "contracts", "cases", "description"];
const defaultKeys = ["clock", "closed", "scope"];
const caseKeys = [
  "id",
  "title",
  "source",
  "description",
  "clock",
  "closed",
  "scope",
  "rules",
  "events",
  "trace",
  "expect",
  "snapshots",
];
const snapshotKeys = ["upto", "watermark", "closed", "expect"];
const expectKeys = [
  "rule",
  "run",
  "verdict",
  "final",
  "code",
  "action",
  "instances",
  "value",
  "anomaly",
  "revises",
  "reason",
];

export function readCaseFile(file: string, text: string): CaseFile {
  const { root, problems } = parseYaml(text);
  const [first] = problems;
  if (first !== undefined)
    throw new InputError(`${file}:${first.range.line}:${first.range.column}`, first.message, first.advice);
  const top = mapAt(file, root, "a case file");
  onlyKeys(file, top, fileKeys, "a case file");
  const version = top.entries.get("version");
  if (version !== undefined && plainValue(version.value) !== 1) {
    throw problemAt(
      file,
      version.value,
      "this version of case files is not known",
      "Write version: 1, or leave it out.",
    );
  }
  const shared = sharedOf(file, top);
  const list = top.entries.get("cases")?.value;
  if (list === undefined || list.is !== "list" || list.items.length === 0) {
    throw new InputError(
      file,
      "the file has no `cases`",
      "Write cases: and a list below it; each has id, events, rules and expect.",
    );
  }
  const cases = list.items.map((node) => readCase(file, node, shared));
  const seen = new Map<string, string>();
  for (const { id, place } of cases) {
    const earlier = seen.get(id);
    if (earlier !== undefined)
      throw new InputError(
        place,
        `the case id "${id}" is already used at ${earlier}`,
        "Give each case its own id.",
      );
    seen.set(id, place);
  }
  return { file, cases };
}

interface Shared {
  readonly clock: PlainMap;
  readonly closed: boolean;
  readonly scope: Plain;
  readonly contract: PlainMap | null;
  readonly contracts: readonly string[];
}

function sharedOf(file: string, top: MapNode): Shared {
  const node = top.entries.get("defaults")?.value;
  const defaults = node === undefined ? null : mapAt(file, node, "`defaults`");
  if (defaults !== null) onlyKeys(file, defaults, defaultKeys, "`defaults`");
  const contract = top.entries.get("contract")?.value;
  return {
    clock: defaults === null ? {} : plainMapAt(file, defaults, "clock"),
    closed: defaults === null ? true : (flagAt(file, defaults, "closed") ?? true),
    scope: defaults === null ? null : plainAt(defaults, "scope"),
    contract: contract === undefined ? null : plainMapAt(file, top, "contract"),
    contracts: textsAt(file, top, "contracts").map((path) => join(dirname(file), path)),
  };
}

function readCase(file: string, node: SourceNode, shared: Shared): ContractCase {
  const map = mapAt(file, node, "a case");
  onlyKeys(file, map, caseKeys, "a case");
  const id = nameAt(file, map, "id");
  if (id === null) throw problemAt(file, map, "the case has no `id`", "Give it a short name of its own.");
  const trace = nameAt(file, map, "trace");
  const events = mapsAt(file, map, "events");
  if (trace === null && events === null)
    throw problemAt(
      file,
      map,
      `case ${id} has no \`events\``,
      "List the events, or name a recorded `trace`.",
    );
  if (trace !== null && events !== null)
    throw problemAt(file, map, `case ${id} has both \`events\` and \`trace\``, "Keep one of them.");
  const rules = mapsAt(file, map, "rules");
  if (rules === null && shared.contract === null && shared.contracts.length === 0) {
    throw problemAt(
      file,
      map,
      `case ${id} has no \`rules\``,
      "List rules in the case, or name `contracts` at the top of the file.",
    );
  }
  const closed = flagAt(file, map, "closed") ?? shared.closed;
  return {
    id,
    title: nameAt(file, map, "title"),
    place: `${file}:${map.range.line}`,
    clock: { ...shared.clock, ...plainMapAt(file, map, "clock") },
    scope: plainAt(map, "scope") ?? shared.scope,
    rules,
    contract: shared.contract,
    contracts: shared.contracts,
    events: events ?? [],
    trace: trace === null ? null : join(dirname(file), trace),
    snapshots: snapshotsOf(file, map, id, closed),
  };
}

function snapshotsOf(file: string, map: MapNode, id: string, closed: boolean): readonly Snapshot[] {
  const list = map.entries.get("snapshots")?.value;
  const own = map.entries.get("expect");
  if (list === undefined) {
    if (own === undefined)
      throw problemAt(file, map, `case ${id} expects nothing`, "Say what must come of it under `expect`.");
    return [{ upto: null, watermark: null, closed, expect: expectations(file, map) }];
  }
  if (own !== undefined)
    throw problemAt(
      file,
      map,
      `case ${id} has both \`expect\` and \`snapshots\``,
      "Put `expect` into the snapshots.",
    );
  if (list.is !== "list" || list.items.length === 0)
    throw problemAt(file, list, "`snapshots` must be a list", "Each has upto, watermark, closed and expect.");
  return list.items.map((node) => {
    const snapshot = mapAt(file, node, "a snapshot");
    onlyKeys(file, snapshot, snapshotKeys, "a snapshot");
    return {
      upto: numberAt(file, snapshot, "upto"),
      watermark: numberAt(file, snapshot, "watermark"),
      closed: flagAt(file, snapshot, "closed") ?? closed,
      expect: expectations(file, snapshot),
    };
  });
}

function expectations(file: string, map: MapNode): readonly Expectation[] {
  const list = map.entries.get("expect")?.value;
  if (list === undefined || list.is !== "list" || list.items.length === 0) {
    throw problemAt(file, list ?? map, "`expect` must be a list", "Each entry names a rule and its verdict.");
  }
  return list.items.map((node): Expectation => {
    const entry = mapAt(file, node, "an expectation");
    onlyKeys(file, entry, expectKeys, "an expectation");
    const rule = nameAt(file, entry, "rule");
    if (rule === null)
      throw problemAt(file, entry, "the expectation names no `rule`", "Name the rule by its id.");
    return {
      rule,
      run: nameAt(file, entry, "run"),
      verdict: wordAt(file, entry, "verdict", verdictWords),
      final: flagAt(file, entry, "final"),
      code: nameAt(file, entry, "code"),
      action: nameAt(file, entry, "action"),
      instances: new Map(
        Object.entries(plainMapAt(file, entry, "instances")).map(([event, verdict]) => [
          event,
          String(verdict),
        ]),
      ),
      value: numberAt(file, entry, "value"),
      anomaly: nameAt(file, entry, "anomaly"),
      revises: flagAt(file, entry, "revises") ?? false,
    };
  });
}

const verdictWords = [
  "satisfied",
  "violated",
  "pending",
  "inconclusive",
  "vacuous",
] as const satisfies readonly Verdict[];
