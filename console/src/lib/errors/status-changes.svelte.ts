import { refreshAll } from "$app/navigation";
import { errorKey } from "./error-key.ts";
import type { ErrorStatus, StatusChange, TrackedError } from "../messages.ts";
import { counted } from "../number-format.ts";
import { refusedCallMessage } from "../failures/refused-call.ts";
import { pastVerb } from "./status.ts";
import { toaster } from "../components/toaster.svelte.ts";

/** A status that an error of some project gets. */
export type ErrorChange = StatusChange & Pick<TrackedError, "projectId">;

/** Changes of status: shown at once, sent, and taken back on the screen when the service refuses them. */
export class StatusChanges {
  #shown = $state.raw<ReadonlyMap<string, ErrorStatus>>(new Map());
  readonly #onChanged: (changes: readonly ErrorChange[]) => void;

  /** `onChanged` is told what was changed before the page is read again. */
  constructor(onChanged: (changes: readonly ErrorChange[]) => void = () => undefined) {
    this.#onChanged = onChanged;
  }

  /** The status to show for an error while a change of it is on its way. */
  statusOf(error: Pick<TrackedError, "projectId" | "errorId" | "status">): ErrorStatus {
    return this.#shown.get(errorKey(error)) ?? error.status;
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
    this.#shown = new Map([...this.#shown, ...changes.map((change) => [errorKey(change), change.status] as const)]);
    try {
      const { trpc } = await import("../trpc.ts");
      const projects = [...new Set(changes.map(({ projectId }) => projectId))];
      const sent = await Promise.allSettled(
        projects.map(async (projectId) => {
          const ofProject = changes.filter((change) => change.projectId === projectId);
          const asked = ofProject.map(({ errorId, status }) => ({ errorId, status }));
          const { undo } = await trpc.errors.updateErrors.mutate({ projectId, changes: asked });
          return undo.map((change) => ({ projectId, ...change }));
        }),
      );
      const undo = sent.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
      const refused = sent.find((one) => one.status === "rejected");
      if (refused !== undefined && sent.length === 1) throw refused.reason;
      const changed = new Set(undo.map(errorKey));
      this.#onChanged(changes.filter((change) => changed.has(errorKey(change))));
      const toast = told(undo);
      if (refused === undefined) toaster.show(toast);
      else
        toaster.show({ ...toast, text: `Not all were changed. ${refusedCallMessage(refused.reason)}`, failed: true });
      await refreshAll();
    } catch (error) {
      toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
    } finally {
      const sent = new Set(changes.map(errorKey));
      this.#shown = new Map([...this.#shown].filter(([key]) => !sent.has(key)));
    }
  }
}
