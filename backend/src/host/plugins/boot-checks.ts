import {
  contractVersion,
  type ErrorBackend,
  type IngestQueue,
  type Plugin,
  type ReadHeads,
  type StoredErrors,
  StartRefusal,
} from "@faultline/plugin";
import type { DescService } from "@bufbuild/protobuf";
import { BackendSchema, services, wordOf, type Backend } from "@faultline/proto";
import { EntitySchema } from "@mikro-orm/core";
import { kindFaults } from "./notices.ts";

const schema: readonly DescService[] = Object.values(services);

/** Refuses plugins that cannot work together. Names all faults together: plugin, expectation, finding. */
export function checkPlugins(plugins: readonly Plugin[]): void {
  const faults: string[] = [];
  const names = new Set<string>();
  const owners = new Map<string, string>();

  for (const plugin of plugins) {
    const fault = (text: string) => faults.push(`plugin ${plugin.name}: ${text}`);
    /** Claims a role for one plugin only, such as "is the queue". */
    const claim = (what: string) => {
      const owner = owners.get(what);
      if (owner !== undefined) fault(`plugin ${owner} ${what} already`);
      owners.set(what, plugin.name);
    };
    if (!/^[a-z]+(-[a-z]+)*$/.test(plugin.name)) fault("its name must be lower-case words joined by '-'");
    if (names.has(plugin.name)) fault("another plugin has the same name");
    names.add(plugin.name);
    if (plugin.contract !== contractVersion)
      fault(`it was made for contract ${plugin.contract}, but contract ${contractVersion} is required`);

    const prefix = `${plugin.name.split("-")[0]}_`;
    for (const entity of plugin.entities ?? []) {
      const table = entity instanceof EntitySchema ? entity.meta.tableName : "an entity that is not an EntitySchema";
      if (!table.startsWith(prefix)) fault(`its tables must begin with ${prefix}, but it has ${table}`);
    }
    if (plugin.backend) {
      claim(`is the ${wordOf(BackendSchema, plugin.backend.kind)} backend`);
    }
    for (const { service } of plugin.services ?? []) {
      const isOfSchema = schema.includes(service);
      if (!isOfSchema && schema.some(({ name }) => name === service.name))
        fault(`the service ${service.name} is the core's`);
      claim(`serves ${service.name}`);
    }
    for (const { verb, path, id } of plugin.rest ?? []) {
      claim(`serves ${verb} ${path.replace(/:\w+/g, ":")}`);
      claim(`has an operation ${id}`);
    }
    for (const kind of plugin.notifies ?? []) {
      for (const text of kindFaults(kind)) fault(text);
      claim(`announces ${kind.kind}`);
    }
    if (plugin.takeNotices) claim("delivers notifications");
    if (plugin.queue) claim("is the queue");
    if (plugin.readHeads) claim("reads the heads of events");
  }
  if (faults.length > 0) throw new StartRefusal(`The plugins cannot be started: ${faults.join("; ")}.`);
}

/** The services of `faultline.v1` and the services that plugins add, each once. */
export function servicesWith(plugins: readonly Plugin[]): readonly DescService[] {
  return [
    ...new Set([...schema, ...plugins.flatMap((plugin) => (plugin.services ?? []).map(({ service }) => service))]),
  ];
}

/** The backends that the plugins bring, by kind. */
export function backendsByKind(plugins: readonly Plugin[]): ReadonlyMap<Backend, ErrorBackend> {
  return new Map(plugins.flatMap(({ backend }) => (backend ? [[backend.kind, backend]] : [])));
}

/** The queue that a plugin brings in place of the core's own group commit. */
export function pluginQueue(plugins: readonly Plugin[]): IngestQueue | undefined {
  return plugins.find((plugin) => plugin.queue)?.queue;
}

/** The `regroup` of the backend that stores events. */
export function eventRegrouping(plugins: readonly Plugin[]): NonNullable<ErrorBackend["regroup"]> {
  const backend = plugins.map((plugin) => plugin.backend).find((one) => one?.regroup);
  return backend?.regroup?.bind(backend) ?? (() => Promise.resolve());
}

/** The errors of the backend that stores events. */
export function storedErrors(plugins: readonly Plugin[]): StoredErrors {
  const stored = plugins.map(({ backend }) => backend?.storedErrors).find((one) => one);
  if (!stored) throw new StartRefusal("The plugins cannot be started: none of them stores errors.");
  return stored;
}

/** The `readHeads` of the plugin that reads heads. */
export function headReading(plugins: readonly Plugin[]): ReadHeads {
  return plugins.find(({ readHeads }) => readHeads)?.readHeads ?? ((events) => events);
}

/** The `tryStoring` of the backend that stores events. */
export function storingTrial(plugins: readonly Plugin[]): NonNullable<ErrorBackend["tryStoring"]> {
  const backend = plugins.map((plugin) => plugin.backend).find((one) => one?.tryStoring);
  return backend?.tryStoring?.bind(backend) ?? (() => Promise.resolve());
}

/** The `storeBatch` of the backend that stores events. */
export function eventStore(plugins: readonly Plugin[]): NonNullable<ErrorBackend["storeBatch"]> {
  const backend = plugins.map((plugin) => plugin.backend).find((one) => one?.storeBatch);
  if (!backend?.storeBatch) throw new StartRefusal("The plugins cannot be started: none of them stores events.");
  return backend.storeBatch.bind(backend);
}
