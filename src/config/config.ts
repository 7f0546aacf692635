import * as z from "zod";
import { defaultSettings } from "../model/settings.ts";
import { defaultPrometheus, exporters, type PrometheusConfig } from "./exporters.ts";
import { defaultJournal, extensions, type JournalConfig } from "./extensions.ts";
import { cure } from "./kinds.ts";
import { type PipelinesConfig, pipelines } from "./pipelines.ts";
import { defaultHttpReceiver, type HttpReceiverConfig, receivers } from "./receivers.ts";
import { defaultContracts, type ToolorderConfig, toolorder } from "./toolorder.ts";

/** A whole `otel-config.yaml`, checked, with every default filled in. */
export interface Config {
  readonly http: HttpReceiverConfig;
  readonly toolorder: ToolorderConfig;
  readonly prometheus: PrometheusConfig;
  readonly journal: JournalConfig;
  readonly pipelines: PipelinesConfig;
}

/** What runs without a configuration file. */
export const defaultConfig: Config = {
  http: defaultHttpReceiver,
  toolorder: { contracts: defaultContracts, core: defaultSettings },
  prometheus: defaultPrometheus,
  journal: defaultJournal,
  pipelines: {
    extensions: ["journal"],
    traces: { receivers: ["otlp"], processors: ["toolorder"], exporters: ["prometheus"] },
    logs: { receivers: ["otlp"], processors: ["toolorder"], exporters: ["prometheus"] },
  },
};

const wholeFile = z.strictObject({
  receivers,
  processors: z.strictObject({ toolorder }),
  exporters,
  extensions: extensions.nullable().optional(),
  service: pipelines,
});

type WholeFile = z.output<typeof wholeFile>;

/** The file's shape; what it gives is a `Config`. */
export const configSchema = wholeFile
  .superRefine((file, context) => {
    const list = (
      path: readonly (string | number)[],
      names: readonly string[],
      defined: object,
      what: string,
    ) => {
      for (const [index, name] of names.entries()) {
        if (Object.hasOwn(defined, name)) continue;
        const known = Object.keys(defined).filter(
          (key) => defined[key as keyof typeof defined] !== undefined,
        );
        context.addIssue({
          code: "custom",
          path: [...path, index],
          message: cure(
            `no ${what} named ${JSON.stringify(name)} is configured`,
            known.length > 0 ? `Use ${known.join(", ")}, or configure it above.` : "Configure it above.",
          ),
        });
      }
    };
    for (const [signal, wanted] of Object.entries(file.service.pipelines)) {
      if (wanted === undefined) continue;
      const place = ["service", "pipelines", signal];
      list([...place, "receivers"], wanted.receivers, file.receivers, "receiver");
      list([...place, "processors"], wanted.processors, file.processors, "processor");
      list([...place, "exporters"], wanted.exporters, file.exporters, "exporter");
      for (const [key, names] of Object.entries(wanted)) {
        if (names.length > 0) continue;
        const goes = signal === "traces" ? "spans" : "log records";
        context.addIssue({
          code: "custom",
          path: [...place, key],
          message: cure(`the pipeline has no ${key}`, `Name at least one, or ${goes} would go nowhere.`),
        });
      }
    }
    list(["service", "extensions"], file.service.extensions ?? [], file.extensions ?? {}, "extension");
  })
  .transform(
    (file: WholeFile): Config => ({
      http: file.receivers.otlp.protocols.http,
      toolorder: file.processors.toolorder,
      prometheus: file.exporters.prometheus,
      journal: file.extensions?.journal ?? defaultJournal,
      pipelines: {
        extensions: file.service.extensions ?? [],
        traces: file.service.pipelines.traces,
        logs: file.service.pipelines.logs ?? null,
      },
    }),
  );
