import { refreshAll } from "$app/navigation";
import { errorKey } from "./error-key.ts";
import type { ErrorStatus, StatusChange, TrackedError } from "../messages.ts";
import { counted } from "../number-format.ts";
import { refusedCallMessage } from "../failures/refused-call.ts";
import { pastVerb } from "./status.ts";
import { toaster } from "../components/toaster.svelte.ts";

/** A status that an error of some project gets. */
export type ErrorChange = StatusChange & Pick<TrackedError, "projectId">;

/** The changed errors as the service returned them, and the earlier status of each. */
export type OnChanged = (errors: readonly TrackedError[], before: readonly ErrorChange[]) => void;

/** Changes of status: shown at once, sent, and reverted on the screen when the service refuses them. */
export class StatusChanges {
  #sent = $state.raw<ReadonlyMap<string, ErrorStatus>>(new Map());
  readonly #onChanged: OnChanged;

  /** `onChanged` shows the answer, so that the page is not read again. */
  constructor(onChanged: OnChanged) {
    this.#onChanged = onChanged;
  }

  /** The status to show for an error while a change of it is on its way. */
  statusOf(error: Pick<TrackedError, "projectId" | "errorId" | "status">): ErrorStatus {
    return this.#sent.get(errorKey(error)) ?? error.status;
  }

  /** Whether a change of an error is on its way. */
  isSent(error: TrackedError): boolean {
    return this.#sent.has(errorKey(error));
  }

  async set(errors: readonly TrackedError[], status: ErrorStatus): Promise<void> {
    const first = errors[0];
    if (first === undefined) return;
    const changes = errors.map(({ projectId, errorId }) => ({ projectId, errorId, status }));
    const what = errors.length === 1 ? `“${first.title}”` : counted(errors.length, "error");
    await this.#send(changes, (undo) => ({
      text: `${pastVerb(status)} ${what}.`,
      undo: () => void this.#send(undo, () => ({ text: "Undone." })),
    }));
  }

  async #send(
    changes: readonly ErrorChange[],
    told: (undo: readonly ErrorChange[]) => { text: string; undo?: () => void },
  ): Promise<void> {
    this.#sent = new Map([...this.#sent, ...changes.map((change) => [errorKey(change), change.status] as const)]);
    try {
      const { trpc } = await import("../trpc.ts");
      const projects = [...new Set(changes.map(({ projectId }) => projectId))];
      const answers = await Promise.allSettled(
        projects.map(async (projectId) => {
          const ofProject = changes.filter((change) => change.projectId === projectId);
          const asked = ofProject.map(({ errorId, status }) => ({ errorId, status }));
          const { errors, undo } = await trpc.errors.updateErrors.mutate({ projectId, changes: asked });
          return { errors, undo: undo.map((change) => ({ projectId, ...change })) };
        }),
      );
      const done = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
      const refused = answers.find((one) => one.status === "rejected");
      if (refused !== undefined && answers.length === 1) throw refused.reason;
      const errors = done.flatMap((one) => one.errors);
      const undo = done.flatMap((one) => one.undo);
      this.#onChanged(errors, undo);
      const toast = told(undo);
      if (refused === undefined) toaster.show(toast);
      else
        toaster.show({ ...toast, text: `Not all were changed. ${refusedCallMessage(refused.reason)}`, failed: true });
      // An error that the answer lacks was deleted meanwhile.
      if (refused === undefined && errors.length < changes.length) await refreshAll();
    } catch (error) {
      toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
    } finally {
      const over = new Set(changes.map(errorKey));
      this.#sent = new Map([...this.#sent].filter(([key]) => !over.has(key)));
    }
  }
}
