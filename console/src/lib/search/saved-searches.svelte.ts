import type { SavedSearch } from "../messages.ts";
import { trpc } from "../trpc.ts";
import type { KeptSearches } from "./kept-searches.svelte.ts";

const longestName = 80;

type Fields = Pick<SavedSearch, "name" | "query" | "status" | "sort" | "shared">;
type Changes = Partial<Pick<SavedSearch, "name" | "query">> & { readonly position?: number };

/** A project's saved searches that the person can see. Import this file only when needed: it calls the service. */
export class SavedSearches {
  readonly projectId: number;
  readonly #kept: KeptSearches;
  #all: readonly SavedSearch[] = $state.raw([]);
  #reading: Promise<void> | undefined;
  #tookOver: Promise<void> | undefined;

  /**
   * `kept` holds searches that earlier versions saved in this browser. The first reading stores them in the service.
   */
  constructor(projectId: number, kept: KeptSearches) {
    this.projectId = projectId;
    this.#kept = kept;
  }

  get all(): readonly SavedSearch[] {
    return this.#all;
  }

  get own(): readonly SavedSearch[] {
    return this.#all.filter(({ shared }) => !shared);
  }

  get shared(): readonly SavedSearch[] {
    return this.#all.filter(({ shared }) => shared);
  }

  /** Reads them again. Calls during a reading share its answer. */
  read(): Promise<void> {
    this.#reading ??= this.#read()
      .then(() => (this.#tookOver ??= this.#takeOver()))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** `position` is the place in the list, by default the last place. */
  async save(search: Fields, position?: number) {
    const { projectId } = this;
    const { name, query, status, sort, shared } = search; // a deleted search has more fields
    const fields = { name, query, status, sort, shared };
    const { savedSearch } = await trpc.savedSearches.createSavedSearch.mutate({ projectId, ...fields });
    if (savedSearch && position !== undefined) await this.change(savedSearch, { position });
    else await this.#read();
  }

  async change({ savedSearchId }: SavedSearch, changes: Changes) {
    await trpc.savedSearches.updateSavedSearch.mutate({ projectId: this.projectId, savedSearchId, ...changes });
    await this.#read();
  }

  async remove({ savedSearchId }: SavedSearch) {
    await trpc.savedSearches.deleteSavedSearch.mutate({ projectId: this.projectId, savedSearchId });
    await this.#read();
  }

  async #read() {
    const { savedSearches } = await trpc.savedSearches.listSavedSearches.query({ projectId: this.projectId });
    this.#all = savedSearches;
  }

  /** A search that the service refuses stays in the browser, and suggestions still offer it. */
  async #takeOver() {
    for (const query of this.#kept.saved.toReversed()) {
      const isThere = this.own.some((search) => search.query === query);
      const name = query.slice(0, longestName).toWellFormed();
      const [status, sort] = ["ERROR_STATUS_UNRESOLVED", "ERROR_SORT_LAST_SEEN"] as const;
      const isSaved = isThere || (await this.save({ name, query, status, sort, shared: false }).then(yes, no));
      if (isSaved) this.#kept.toggle(query);
    }
  }
}

const yes = () => true;
const no = () => false;
