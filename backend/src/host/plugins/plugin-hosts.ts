import type { Host, Log, Plugin } from "@faultline/plugin";
import type { NotedTransitions } from "../changes/noted-transitions.ts";

/** The parts of the host that are built from the services. */
type Served = Pick<Host, "core" | "access" | "invoke">;

/** The parts that are the same for every plugin. */
type Shared = Omit<Host, keyof Served | "log" | "pendingTransitions" | "admitStoring" | "notify">;

/**
 * Creates the host of each plugin. Services of plugins are part of the core and get their host while the core is built,
 * so the parts that lead to the core are added last.
 */
export class PluginHosts {
  readonly #shared: Shared;
  readonly #logOf: (plugin: string) => Log;
  readonly #transitions: Pick<NotedTransitions, "pendingOf">;
  readonly #admitStoring: (plugin: string) => Host["admitStoring"];
  readonly #notify: (plugin: Plugin) => Host["notify"];
  #servedTo: ((plugin: Plugin) => Served) | undefined;

  constructor(
    shared: Shared,
    of: {
      logOf: (plugin: string) => Log;
      transitions: Pick<NotedTransitions, "pendingOf">;
      admitStoring: (plugin: string) => Host["admitStoring"];
      notify: (plugin: Plugin) => Host["notify"];
    },
  ) {
    this.#shared = shared;
    this.#logOf = of.logOf;
    this.#transitions = of.transitions;
    this.#admitStoring = of.admitStoring;
    this.#notify = of.notify;
  }

  /** The host of one plugin. The parts that `useCore` adds throw until then. */
  of(plugin: Plugin): Host {
    const served = () => {
      if (!this.#servedTo) throw new Error(`The plugin ${plugin.name} asked for the core before its start.`);
      return this.#servedTo(plugin);
    };
    return {
      ...this.#shared,
      log: this.#logOf(plugin.name),
      admitStoring: this.#admitStoring(plugin.name),
      notify: this.#notify(plugin),
      pendingTransitions: (error) => this.#transitions.pendingOf(plugin.name, error),
      get core() {
        return served().core;
      },
      get access() {
        return served().access;
      },
      invoke: (method, request, signal) => served().invoke(method, request, signal),
    };
  }

  useCore(servedTo: (plugin: Plugin) => Served): void {
    this.#servedTo = servedTo;
  }
}
