import { errorKey } from "#lib/errors/error-key.ts";
import { firstErrors, type SortKey } from "#lib/errors/list-choices.ts";
import type { ErrorStatus, TrackedError } from "#lib/messages.ts";
import type { AllErrors, ProjectAnswer } from "#lib/failures/project-answer.ts";
import { withStatusOf } from "#lib/errors/status.ts";

/** A list that was read. */
interface ReadList {
  readonly list: AllErrors;
  /** ERROR_STATUS_UNSPECIFIED for all. */
  readonly status: ErrorStatus;
  readonly sort: SortKey;
  readonly pageSize: number;
  /** The same value whenever the same list is read again. */
  readonly address: string;
}

/**
 * A list to which late projects add their errors. Rows never move under a pointer or a focus: errors that arrive while
 * someone uses the list wait until the person asks for them.
 */
export class Arrivals {
  readonly #read: ReadList;
  /** The rows of late projects from an earlier reading of the same list. */
  readonly #before: readonly TrackedError[];
  /** Errors with a status changed on this page. */
  #own = $state.raw<ReadonlySet<string>>(new Set());
  #come = $state.raw<readonly ProjectAnswer[]>([]);
  #held = $state.raw<readonly ProjectAnswer[]>([]);
  /** Errors that have been read again. */
  #fresh = $state.raw<ReadonlyMap<string, TrackedError>>(new Map());

  /** All known errors, including waiting errors. */
  readonly answers = $derived.by(() => [...this.#read.list.answers, ...this.#come, ...this.#held]);
  /** The rows, without errors that left their tab through a change on this page. */
  readonly errors = $derived.by(() => this.#with(this.#come).filter((error) => this.#isListed(error)));
  readonly isHolding = $derived.by(() => this.#held.length > 0);
  /** The number of waiting errors. */
  readonly heldCount = $derived.by(() => {
    const shown = new Set(this.errors.map(errorKey));
    const known = this.#with([...this.#come, ...this.#held]);
    return known.filter((error) => this.#isListed(error) && !shown.has(errorKey(error))).length;
  });

  constructor(read: ReadList, before: Arrivals | undefined) {
    this.#read = read;
    const answered = new Set(read.list.answers.map(({ projectId }) => projectId));
    const known =
      before !== undefined && before.#read.address === read.address
        ? before.errors.map((error) => before.current(error))
        : [];
    this.#before = known.filter(({ projectId }) => !answered.has(projectId));
  }

  /** Adds errors as they arrive, until the returned function is called. */
  follow(isSomeoneOn: () => boolean): () => void {
    let isStopped = false;
    for (const late of this.#read.list.late) {
      void late.then((answer) => {
        if (isStopped) return;
        if (this.#moves(answer) && isSomeoneOn()) this.#held = [...this.#held, answer];
        else this.#come = [...this.#come, answer];
      });
    }
    return () => (isStopped = true);
  }

  show(): void {
    this.#come = [...this.#come, ...this.#held];
    this.#held = [];
  }

  /** Updates errors that were read again: rows change in place, and none is added, removed or moved. */
  take(errors: readonly TrackedError[]): void {
    this.#fresh = new Map([...this.#fresh, ...errors.map((error) => [errorKey(error), error] as const)]);
  }

  /** The error as last read. */
  current(error: TrackedError): TrackedError {
    return this.#fresh.get(errorKey(error)) ?? error;
  }

  /** Applies changes made on this page. Errors of an earlier list are not among the rows. */
  keep(answers: readonly TrackedError[]): void {
    const known = new Map(this.#with([...this.#come, ...this.#held]).map((error) => [errorKey(error), error]));
    const own = new Set(this.#own);
    for (const answer of answers) {
      own.add(errorKey(answer));
      const row = known.get(errorKey(answer));
      if (row !== undefined) this.take([withStatusOf(this.current(row), answer)]);
    }
    this.#own = own;
  }

  #isListed(error: TrackedError): boolean {
    const { status } = this.#read;
    if (status === "ERROR_STATUS_UNSPECIFIED" || !this.#own.has(errorKey(error))) return true;
    return this.current(error).status === status;
  }

  /** Whether an answer moves or removes a shown row. */
  #moves(answer: ProjectAnswer): boolean {
    const after = this.#with([...this.#come, answer])
      .filter((error) => this.#isListed(error))
      .map(errorKey);
    return this.errors.some((error, n) => errorKey(error) !== after[n]);
  }

  #with(late: readonly ProjectAnswer[]): TrackedError[] {
    const { list, sort, pageSize } = this.#read;
    const come = new Set(late.map(({ projectId }) => projectId));
    const before = this.#before.filter(({ projectId }) => !come.has(projectId));
    return firstErrors([...list.errors, ...before, ...late.flatMap(({ errors }) => errors)], sort, pageSize);
  }
}
