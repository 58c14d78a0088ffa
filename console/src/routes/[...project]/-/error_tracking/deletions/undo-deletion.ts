import { refreshAll } from "$app/navigation";
import { restoredWords } from "./deletion-words.ts";
import { refusedCallMessage } from "#lib/failures/refused-call.ts";
import { toaster } from "#lib/components/toaster.svelte.ts";

/** Restores the errors of a deletion and returns the result in words. */
export async function undoDeletion(projectId: number, deletionId: number): Promise<void> {
  try {
    const { trpc } = await import("#lib/trpc.ts");
    const { deletion } = await trpc.deletions.undoDeletion.mutate({ projectId, deletionId });
    toaster.show({ text: deletion ? `${restoredWords(deletion)}.` : "Undone." });
    await refreshAll();
  } catch (error) {
    toaster.show({ text: `Could not undo the deletion. ${refusedCallMessage(error)}`, failed: true });
  }
}
