import { refusedCallMessage } from "#lib/failures/refused-call.ts";
import { toaster } from "#lib/components/toaster.svelte.ts";

/** Fetches a DSN when it is copied, so that the page itself holds none. Returns the reason if there is no DSN. */
export async function fetchDsn(key: { projectId: number; keyId: number }, kind: "dsn" | "legacyDsn"): Promise<string> {
  try {
    const { trpc } = await import("#lib/trpc.ts");
    const { clientKey } = await trpc.clientKeys.getClientKey.query(key);
    return clientKey?.[kind] ?? "";
  } catch (error) {
    toaster.show({ text: refusedCallMessage(error), failed: true });
    throw error;
  }
}
