const mostRecent = 10;
const mostSaved = 20;

interface Kept {
  readonly recent: readonly string[];
  readonly saved: readonly string[];
}

/**
 * The searches in this browser: recent searches, and saved searches over all projects. The service keeps the saved
 * searches of a single project. Earlier versions kept them in the browser, so they are here until the service takes
 * them over.
 */
export class KeptSearches {
  readonly #name: string;
  #kept: Kept = $state.raw({ recent: [], saved: [] });

  /** Holds the searches over all projects if `projectId` is undefined. */
  constructor(projectId: number | undefined) {
    this.#name = `faultline.searches.${projectId ?? "all"}`;
    if (typeof localStorage !== "undefined") this.#kept = read(this.#name);
  }

  get recent(): readonly string[] {
    return this.#kept.recent.filter((search) => !this.isSaved(search));
  }

  get saved(): readonly string[] {
    return this.#kept.saved;
  }

  isSaved(search: string): boolean {
    return this.#kept.saved.includes(search);
  }

  used(search: string): void {
    const recent = [search, ...this.#kept.recent.filter((other) => other !== search)].slice(0, mostRecent);
    this.#keep({ ...this.#kept, recent });
  }

  /** Saves a search, or removes a saved search. */
  toggle(search: string): void {
    const others = this.#kept.saved.filter((other) => other !== search);
    this.#keep({ ...this.#kept, saved: this.isSaved(search) ? others : [search, ...others].slice(0, mostSaved) });
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    try {
      localStorage.setItem(this.#name, JSON.stringify(kept));
    } catch {
      // The browser's storage is full or forbidden, so searches last as long as the page.
    }
  }
}

function read(name: string): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<Record<keyof Kept, unknown>>;
    return { recent: texts(kept.recent), saved: texts(kept.saved) };
  } catch {
    return { recent: [], saved: [] }; // invalid, or forbidden
  }
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text): text is string => typeof text === "string" && text.length <= 500) : [];
