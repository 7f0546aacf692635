/**
 * Which clock wrote a span's stamps (docs/semantics.md 10.2): host and process of its resource. Where neither
 * is named, equal resources are taken for one clock, and the evidence says that this was assumed.
 */
import { startSignalsResource } from "../../model/attribute-names.ts";
import type { Resource } from "../../model/span.ts";
import { hashOf, textOf } from "./values.ts";

export interface ClockDomain {
  readonly clock: string;
  readonly assumed: boolean;
}

export function clockDomain(resource: Resource): ClockDomain {
  const text = (key: string): string | null => textOf(resource.attributes.get(key));
  const host = text("host.id") ?? text("host.name") ?? text("k8s.pod.uid");
  const instance = text("service.instance.id");
  const process = text("process.pid") ?? instance;
  if (host !== null) return { clock: `${host}/${process ?? ""}`, assumed: false };
  // A process id is unique on its host only; an instance id stands for itself.
  if (instance !== null) return { clock: `/${instance}`, assumed: false };
  // What a start signal's resource says besides is no other clock.
  const rest = [...resource.attributes].filter(([key]) => key !== startSignalsResource);
  return { clock: `resource:${hashOf(Object.fromEntries(rest))}`, assumed: true };
}
