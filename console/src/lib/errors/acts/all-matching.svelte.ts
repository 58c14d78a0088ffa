import { refusedCallMessage } from "../../failures/refused-call.ts";
import type { Capability, ErrorStatus } from "../../messages.ts";
import { toaster } from "../../components/toaster.svelte.ts";
import type { Counted, Matching } from "./change-matching.ts";

/** A list that can be selected completely. */
export interface MatchingList extends Matching {
  readonly capability: Capability | undefined;
}

/** Changing more errors than this needs a confirmation. */
const unaskedErrors = 1_000;

/** The selection of all matching errors, including other pages, and the change of their status. */
export class AllMatching {
  #of = $state.raw<Matching>();
  #counted = $state.raw<Counted>({ count: 0, lastErrorId: "" });
  /** The number of selected errors. */
  readonly count = $derived(this.#counted.count);
  /** The status to set after a confirmation. */
  asked = $state.raw<ErrorStatus>();
  /** Whether the change is being started. */
  isSent = $state(false);

  readonly #onStarted: () => void;

  constructor(onStarted: () => void) {
    this.#onStarted = onStarted;
  }

  /** Whether all errors of this list are selected. */
  isOf({ projectId, query, status }: Matching): boolean {
    const of = this.#of;
    return of !== undefined && of.projectId === projectId && of.query === query && of.status === status;
  }

  async choose({ projectId, query, status }: Matching): Promise<void> {
    const of = { projectId, query, status };
    try {
      const { countMatching } = await import("./change-matching.ts");
      this.#counted = await countMatching(of);
      this.#of = of;
    } catch (error) {
      toaster.show({ text: refusedCallMessage(error), failed: true });
    }
  }

  clear(): void {
    this.#of = undefined;
    this.asked = undefined;
  }

  /** Sets the status of all errors, or asks first. `confirmed` is true once the person has confirmed. */
  async set(status: ErrorStatus, confirmed = false): Promise<void> {
    const of = this.#of;
    if (of === undefined || this.isSent) return;
    if (this.count > unaskedErrors && !confirmed) {
      this.asked = status;
      return;
    }
    this.asked = undefined;
    this.isSent = true;
    const { changeMatching } = await import("./change-matching.ts");
    const now = await changeMatching(of, status, this.#counted);
    this.isSent = false;
    if (now === undefined) {
      this.clear();
      this.#onStarted();
    } else {
      this.#counted = now; // the number of matches has changed: the person is asked again
      this.asked = status;
    }
  }
}
