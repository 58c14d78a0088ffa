import type { Evicted, Host, KeptBytes, Plugin } from "@faultline/plugin";

/** The data that a plugin keeps of projects in addition to their events; see KeptBesideEvents. */
export interface KeptPart {
  /** The name of the plugin. */
  readonly name: string;
  usage(): Promise<readonly KeptBytes[]>;
  evict(projectId: number, bytes: number): Promise<Evicted>;
  readonly mostWithoutLimit: number | undefined;
}

/** The parts of the plugins that keep data. */
export function keptParts(plugins: readonly Plugin[], hostOf: (plugin: Plugin) => Host): readonly KeptPart[] {
  return plugins.flatMap((plugin) => {
    const { name, keeps } = plugin;
    if (!keeps) return [];
    return {
      name,
      usage: () => keeps.usage(hostOf(plugin)),
      evict: (projectId: number, bytes: number) => keeps.evict(hostOf(plugin), projectId, bytes),
      mostWithoutLimit: keeps.mostWithoutLimit,
    };
  });
}

/** The bytes that plugins keep of projects. */
export class KeptBeside {
  #parts: readonly KeptPart[] = [];
  /** Bytes of the last reading, by plugin and project. */
  #known: ReadonlyMap<string, ReadonlyMap<number, number>> = new Map();
  /** Bytes admitted since then, by plugin and project: on their way to storage, or just stored. */
  #admitted = new Map<string, Map<number, number>>();

  use(parts: readonly KeptPart[]): void {
    this.#parts = parts;
  }

  async read(): Promise<void> {
    const admitted = this.#admitted;
    // The answer may miss bytes admitted from here on. Bytes admitted before but not yet stored are missing for a
    // second.
    this.#admitted = new Map();
    try {
      const read = await Promise.all(this.#parts.map(async ({ name, usage }) => [name, await usage()] as const));
      this.#known = new Map(
        read.map(([name, usage]) => [name, new Map(usage.map(({ projectId, bytes }) => [projectId, bytes]))]),
      );
    } catch (error) {
      for (const [name, of] of admitted) for (const [projectId, bytes] of of) this.admitted(name, projectId, bytes);
      throw error;
    }
  }

  /** Counts bytes until they are read. */
  admitted(name: string, projectId: number, bytes: number): void {
    const of = this.#admitted.get(name) ?? new Map<number, number>();
    this.#admitted.set(name, of.set(projectId, (of.get(projectId) ?? 0) + bytes));
  }

  get projectIds(): readonly number[] {
    return [...this.#known.values()].flatMap((of) => [...of.keys()]);
  }

  /** The bytes that each plugin keeps of a project. */
  partsOf(projectId: number): (Pick<KeptPart, "name" | "evict" | "mostWithoutLimit"> & { readonly bytes: number })[] {
    return this.#parts.map(({ name, evict, mostWithoutLimit }) => {
      const [known, admitted] = [this.#known, this.#admitted].map((all) => all.get(name)?.get(projectId) ?? 0);
      return { name, evict, mostWithoutLimit, bytes: (known ?? 0) + (admitted ?? 0) };
    });
  }

  bytesOf(projectId: number): number {
    return this.partsOf(projectId).reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
