import { refreshAll } from "$app/navigation";
import type { ErrorStatus, StatusChange, TrackedError } from "./messages.ts";
import { counted } from "./number-format.ts";
import { refusedCallMessage } from "./refused-call.ts";
import { pastVerb } from "./status.ts";
import { toaster } from "./toaster.svelte.ts";

/** Changes of status: shown at once, sent, and taken back on the screen when the service refuses them. */
export class StatusChanges {
  #shown = $state.raw<ReadonlyMap<string, ErrorStatus>>(new Map());

  /** The status to show for an error while a change of it is on its way. */
  statusOf({ errorId, status }: Pick<TrackedError, "errorId" | "status">): ErrorStatus {
    return this.#shown.get(errorId) ?? status;
  }

  async set(errors: readonly TrackedError[], status: ErrorStatus): Promise<void> {
    const first = errors[0];
    if (first === undefined) return;
    const changes = errors.map(({ errorId }) => ({ errorId, status }));
    const what = errors.length === 1 ? `“${first.title}”` : counted(errors.length, "error");
    await this.#send(first.projectId, changes, (undo) => ({
      text: `${pastVerb(status)} ${what}.`,
      undo: () => void this.#send(first.projectId, undo, () => ({ text: "Undone." })),
    }));
  }

  async #send(
    projectId: number,
    changes: readonly StatusChange[],
    told: (undo: StatusChange[]) => { text: string; undo?: () => void },
  ): Promise<void> {
    const before = this.#shown;
    this.#shown = new Map([...before, ...changes.map(({ errorId, status }) => [errorId, status] as const)]);
    try {
      const { trpc } = await import("./trpc.ts");
      const { undo } = await trpc.errors.update.mutate({ projectId, changes: [...changes] });
      toaster.show(told(undo));
      await refreshAll();
    } catch (error) {
      toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
    } finally {
      const sent = new Set(changes.map(({ errorId }) => errorId));
      this.#shown = new Map([...this.#shown].filter(([errorId]) => !sent.has(errorId)));
    }
  }
}
