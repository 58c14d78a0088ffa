import { InboundFilterEntity, type InboundFilterRow } from "./inbound-filters.ts";
import type { EntityManager } from "@mikro-orm/sql";
import { EventFilters } from "./event-filters.ts";

/** Projects with cached filters: about 100 kB each if all lists are full. */
const projectsRemembered = 1_000;

/** Prepares the filters of a project once for all its client keys, which are looked up again after each change. */
export class FilterMemory {
  readonly #filters = new Map<number, { revision: number; filters: EventFilters }>();

  /** Undefined if the project never saved filters and has the defaults. */
  async read(em: EntityManager, projectId: number): Promise<EventFilters | undefined> {
    const row = await em.findOne(InboundFilterEntity, { projectId });
    return row ? this.#of(row) : undefined;
  }

  #of(row: InboundFilterRow): EventFilters {
    const { projectId, revision } = row;
    const known = this.#filters.get(projectId);
    if (known?.revision === revision) return known.filters;
    const filters = new EventFilters(row);
    if (this.#filters.size >= projectsRemembered) this.#filters.clear();
    this.#filters.set(projectId, { revision, filters });
    return filters;
  }
}
