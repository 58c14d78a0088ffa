import { refreshAll } from "$app/navigation";
import { page } from "$app/state";
import { errorKey } from "./error-key.ts";
import type { ErrorStatus, TrackedError } from "../messages.ts";
import { counted } from "../number-format.ts";
import { refusedCallMessage } from "../failures/refused-call.ts";
import type { RecentAct } from "./acts/recent-acts.ts";
import type { ErrorChange, SentStatuses } from "./acts/send-statuses.ts";
import { pastVerb } from "./status.ts";
import { toaster } from "../components/toaster.svelte.ts";
import { shownActs } from "./acts/shown-acts.ts";

/** The changed errors in the service's answer, and the earlier status of each. */
export type OnChanged = (errors: readonly TrackedError[], before: readonly ErrorChange[]) => void;

/** Changes of status. They are shown immediately, sent, and reverted on the page if the service refuses them. */
export class StatusChanges {
  #sent = $state.raw<ReadonlyMap<string, ErrorStatus>>(new Map());
  readonly #onChanged: OnChanged;
  /** The acts with an undo that this page can show without reading. */
  readonly #acts = new Set<number>();

  /** `onChanged` shows the answer, so that the page is not read again. Create it while a component starts. */
  constructor(onChanged: OnChanged) {
    this.#onChanged = onChanged;
    $effect(() => () => {
      for (const at of this.#acts) shownActs.delete(at);
    });
  }

  /** The status to show for an error while its change is pending. */
  statusOf(error: Pick<TrackedError, "projectId" | "errorId" | "status">): ErrorStatus {
    return this.#sent.get(errorKey(error)) ?? error.status;
  }

  /** Whether a change of an error is pending. */
  isSent(error: TrackedError): boolean {
    return this.#sent.has(errorKey(error));
  }

  async set(errors: readonly TrackedError[], status: ErrorStatus): Promise<void> {
    const first = errors[0];
    if (first === undefined) return;
    const changes = errors.map(({ projectId, errorId }) => ({ projectId, errorId, status }));
    const what = errors.length === 1 ? `“${first.title}”` : counted(errors.length, "error");
    const text = `${pastVerb(status)} ${what}.`;
    const answer = await this.#showWhile(changes, async () =>
      (await import("./acts/send-statuses.ts")).sendStatuses(changes),
    );
    if (answer === undefined) return;
    const { refused } = answer;
    const toast = {
      text: refused === undefined ? text : `Not all were changed. ${refused}`,
      failed: refused !== undefined,
    };
    if (answer.parts.length === 0) toaster.show(toast);
    else {
      const { keepAct } = await import("./acts/undo-act.ts");
      const act: RecentAct = { at: Date.now(), text, parts: answer.parts };
      this.#acts.add(act.at);
      shownActs.set(act.at, (undo) => this.#showWhile(answer.before, undo));
      toaster.show({ ...toast, undo: keepAct(page.data.user?.username ?? "", act) });
    }
    // Errors that the answer lacks were deleted meanwhile.
    if (refused === undefined && answer.errors.length < changes.length) await refreshAll();
  }

  /**
   * Shows statuses while they are sent, and then the answer. Returns undefined if the change was refused; a toast shows
   * that.
   */
  async #showWhile<Answer extends SentStatuses>(
    changes: readonly ErrorChange[],
    send: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    this.#sent = new Map([...this.#sent, ...changes.map((change) => [errorKey(change), change.status] as const)]);
    try {
      const answer = await send();
      this.#onChanged(answer.errors, answer.before);
      return answer;
    } catch (error) {
      toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
      return undefined;
    } finally {
      const over = new Set(changes.map(errorKey));
      this.#sent = new Map([...this.#sent].filter(([key]) => !over.has(key)));
    }
  }
}
