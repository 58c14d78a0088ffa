import type { Host, Log, Plugin } from "@faultline/plugin";

/**
 * What the host gives each plugin. Services of plugins are a part of the core and get their host while the core is made, so
 * the core and the access to it come last.
 */
export class PluginHosts {
  readonly #shared: Omit<Host, "core" | "access" | "log">;
  readonly #logOf: (plugin: string) => Log;
  #served: Pick<Host, "core" | "access"> | undefined;

  constructor(shared: Omit<Host, "core" | "access" | "log">, logOf: (plugin: string) => Log) {
    this.#shared = shared;
    this.#logOf = logOf;
  }

  /** The host of one plugin. Its `core` and `access` throw until `useCore`. */
  of({ name }: Plugin): Host {
    const served = () => {
      if (!this.#served) throw new Error(`The plugin ${name} asked for the core before its start.`);
      return this.#served;
    };
    return {
      ...this.#shared,
      log: this.#logOf(name),
      get core() {
        return served().core;
      },
      get access() {
        return served().access;
      },
    };
  }

  useCore(served: Pick<Host, "core" | "access">): void {
    this.#served = served;
  }
}
