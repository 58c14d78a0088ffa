import { refusedCallMessage } from "../../failures/refused-call.ts";
import type { Capability, ErrorStatus } from "../../messages.ts";
import { toaster } from "../../components/toaster.svelte.ts";
import type { Matching } from "./change-matching.ts";

/** The list whose errors can all be selected. */
export interface MatchingList extends Matching {
  readonly capability: Capability | undefined;
}

/** More errors than these are changed only after a question in words. */
const unaskedErrors = 1_000;

/** The choice of all errors that match, beyond those of the page, and the change of their status. */
export class AllMatching {
  #of = $state.raw<Matching>();
  /** How many errors are chosen. */
  count = $state(0);
  /** The status that is set once the person says yes. */
  asked = $state.raw<ErrorStatus>();
  /** How many errors have been changed so far. Undefined: no change is under way. */
  done = $state.raw<number>();

  /** Whether all errors of this list are chosen. */
  isOf({ projectId, query, status }: Matching): boolean {
    const of = this.#of;
    return of !== undefined && of.projectId === projectId && of.query === query && of.status === status;
  }

  async choose({ projectId, query, status }: Matching): Promise<void> {
    const of = { projectId, query, status };
    try {
      const { trpc } = await import("../../trpc.ts");
      this.count = (await trpc.errors.getErrorCount.query(of)).count;
      this.#of = of;
    } catch (error) {
      toaster.show({ text: refusedCallMessage(error), failed: true });
    }
  }

  clear(): void {
    this.#of = undefined;
    this.asked = undefined;
  }

  /** Sets the status of all, or asks first. `confirmed`: the person has said yes. */
  async set(status: ErrorStatus, confirmed = false): Promise<void> {
    const of = this.#of;
    if (of === undefined || this.done !== undefined) return;
    if (this.count > unaskedErrors && !confirmed) {
      this.asked = status;
      return;
    }
    this.asked = undefined;
    this.done = 0;
    const { changeMatching } = await import("./change-matching.ts");
    const told = await changeMatching(of, status, { expected: this.count, onDone: (done) => (this.done = done) });
    this.done = undefined;
    if (told === undefined) this.clear();
    else {
      this.count = told; // more or fewer match by now: the person is asked with the new number
      this.asked = status;
    }
  }
}
