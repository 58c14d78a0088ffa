import { refusedCallMessage } from "#lib/refused-call.ts";
import { toaster } from "#lib/toaster.svelte.ts";

/** Where a key stands in the list of its project, oldest first. */
interface Place {
  readonly projectId: number;
  readonly keyId: number;
  readonly index: number;
}

/** Fetches one DSN when it is copied, so that the page itself holds none; says why when there is none. */
export async function fetchDsn({ projectId, keyId, index }: Place, kind: "dsn" | "legacyDsn"): Promise<string> {
  try {
    const { trpc } = await import("#lib/trpc.ts");
    const { clientKeys } = await trpc.clientKeys.list.query({ projectId, pageSize: 1, skip: index });
    const key = clientKeys.find((one) => one.keyId === keyId);
    if (key === undefined) throw new Error(`Key ${keyId} is not at its place any more. Read the page anew.`);
    return key[kind];
  } catch (error) {
    const text = error instanceof Error && !("data" in error) ? error.message : refusedCallMessage(error);
    toaster.show({ text, failed: true });
    throw error;
  }
}
