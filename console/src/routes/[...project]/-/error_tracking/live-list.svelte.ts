import { withStatusOf } from "#lib/errors/status.ts";
import type { ErrorChanges, ErrorStatus, TrackedError } from "#lib/messages.ts";

/** The properties of the shown list that live changes depend on. */
interface ShownList {
  readonly errors: readonly TrackedError[];
  /** The status tab. ERROR_STATUS_UNSPECIFIED for all. */
  readonly status: ErrorStatus;
  readonly searched: boolean;
  /** When the list was read, in milliseconds. */
  readonly readAt: number;
}

/** The longest time that reading a list may take. */
const readingMs = 2000;

/**
 * Live changes of a list: counts change in place; changes that would move a row wait until the person asks for them.
 */
export class LiveList {
  #fresh = $state.raw<ReadonlyMap<string, TrackedError>>(new Map());
  #new = $state.raw<ReadonlySet<string>>(new Set());
  #updated = $state.raw<ReadonlySet<string>>(new Set());
  /** The answers to status changes made on this page. */
  #own = $state.raw<ReadonlyMap<string, TrackedError>>(new Map());
  readonly newCount = $derived(this.#new.size);
  readonly updatedCount = $derived(this.#updated.size);
  /** Whether changes were missed, or too many came simultaneously. Reading the list again shows them. */
  incomplete = $state(false);

  /** The last changes, with their time of arrival. */
  #recent: { readonly at: number; readonly changes: ErrorChanges }[] = [];

  /** Restarts with a newly read list. Changes that arrived during the reading may be missing in it. */
  restart(list: ShownList): void {
    const recent = this.#recent.filter(({ at }) => at > Date.now() - readingMs);
    this.#recent = [];
    this.#fresh = new Map();
    this.#new = new Set();
    this.#updated = new Set();
    this.incomplete = false;
    for (const { changes } of recent) this.take(changes, list);
  }

  take(changes: ErrorChanges, list: ShownList): void {
    const { errors, more } = changes;
    this.#recent = [...this.#recent.slice(-9), { at: Date.now(), changes }];
    if (more) this.incomplete = true;
    const shown = new Map(list.errors.map((error) => [error.errorId, error]));
    const fresh = new Map(this.#fresh);
    const added = new Set(this.#new);
    const updated = new Set(this.#updated);
    for (const error of errors) {
      const row = shown.get(error.errorId);
      if (row !== undefined) {
        if (error.eventCount < row.eventCount) continue;
        fresh.set(error.errorId, { ...error, culprit: row.culprit }); // the list shows where culprits repeat
        if (error.eventCount !== row.eventCount) updated.add(error.errorId);
      } else if (this.#isOwn(error) && this.#own.get(error.errorId)?.eventCount === error.eventCount) {
        continue; // the page has already shown its own change
      } else if (list.status === "ERROR_STATUS_UNSPECIFIED" || list.status === error.status) {
        const isNew = !list.searched && Date.parse(error.firstSeenTime ?? "") >= list.readAt - 5000;
        (isNew ? added : updated).add(error.errorId);
      }
    }
    this.#fresh = fresh;
    this.#new = added;
    this.#updated = updated;
  }

  /** Applies changes made on this page: a row leaves its tab, and returns when the change is undone. */
  keep(errors: readonly TrackedError[], list: ShownList): void {
    const answers = new Map(errors.map((error) => [error.errorId, error]));
    const fresh = new Map(this.#fresh);
    for (const row of list.errors) {
      const answer = answers.get(row.errorId);
      if (answer !== undefined) fresh.set(row.errorId, withStatusOf(this.current(row), answer));
    }
    this.#fresh = fresh;
    this.#own = new Map([...this.#own, ...answers]);
  }

  #isOwn({ errorId, status }: TrackedError): boolean {
    return this.#own.get(errorId)?.status === status;
  }

  /** The changed errors with a status that was set elsewhere. */
  changedElsewhere({ errors }: ErrorChanges): TrackedError[] {
    return errors.filter((error) => error.statusChangedBy !== "" && !this.#isOwn(error));
  }

  /** The rows of a list: all errors that were read, except errors that left the tab through a change on this page. */
  rows(list: ShownList): readonly TrackedError[] {
    if (list.status === "ERROR_STATUS_UNSPECIFIED") return list.errors;
    return list.errors.filter((error) => !this.#own.has(error.errorId) || this.current(error).status === list.status);
  }

  /** The current state of the error. */
  current(error: TrackedError): TrackedError {
    return this.#fresh.get(error.errorId) ?? error;
  }
}
