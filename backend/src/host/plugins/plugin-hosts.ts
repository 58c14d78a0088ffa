import type { Core, Host, Log, Plugin } from "@faultline/plugin";

/**
 * What the host gives each plugin. Services of plugins are a part of the core and get their host while the core is made, so
 * the core itself comes last.
 */
export class PluginHosts {
  readonly #shared: Omit<Host, "core" | "log">;
  readonly #logOf: (plugin: string) => Log;
  #core: Core | undefined;

  constructor(shared: Omit<Host, "core" | "log">, logOf: (plugin: string) => Log) {
    this.#shared = shared;
    this.#logOf = logOf;
  }

  /** The host of one plugin. Its `core` throws until `useCore`. */
  of({ name }: Plugin): Host {
    const core = () => {
      if (!this.#core) throw new Error(`The plugin ${name} asked for the core before its start.`);
      return this.#core;
    };
    return {
      ...this.#shared,
      log: this.#logOf(name),
      get core() {
        return core();
      },
    };
  }

  useCore(core: Core): void {
    this.#core = core;
  }
}
