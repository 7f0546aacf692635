/** What a resource says for all its spans. */
import type { Resource } from "../../model/span.ts";
import type { Value } from "../../model/value.ts";
import { type ClockDomain, clockDomain } from "./clock-domain.ts";
import { sendsStartSignals } from "./start-signal.ts";
import { textOf } from "./values.ts";

/** Shared by all spans of one resource. */
export interface ResourceFacts {
  readonly clock: ClockDomain;
  readonly service: Value | undefined;
  readonly environment: Value | undefined;
  readonly conversation: string | null;
  readonly startSignals: boolean;
}

export function resourceFacts(resource: Resource): ResourceFacts {
  const { attributes } = resource;
  return {
    clock: clockDomain(resource),
    service: attributes.get("service.name"),
    environment: attributes.get("deployment.environment.name") ?? attributes.get("deployment.environment"),
    conversation: textOf(attributes.get("gen_ai.conversation.id")) ?? textOf(attributes.get("session.id")),
    startSignals: sendsStartSignals(resource),
  };
}
