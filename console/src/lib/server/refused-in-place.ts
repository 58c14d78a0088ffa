import type { Refusal } from "#lib/handle-error.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

/** Refusals that a page shows in the place of what it could not read, beside its own controls. */
const shownInPlace = new Set<Refusal["reason"]>([
  "ERROR_TRACKING_DISABLED",
  "SETTINGS_NOT_FOUND",
  "EXTERNAL_SETTINGS_INCOMPLETE",
  "NOT_SUPPORTED_BY_BACKEND",
  "INVALID_FIELD",
  "INVALID_PAGE_TOKEN",
  "STORAGE_UNAVAILABLE",
  "OVERLOADED",
]);

/** The answer of a call, or why there is none. Refusals that concern the whole page are thrown. */
export async function refusedInPlace<T>(call: Promise<T>): Promise<{ answer: T | null; refusal: Refusal | null }> {
  try {
    return { answer: await call, refusal: null };
  } catch (error) {
    const refusal = refusalOfTrpc(error);
    if (!shownInPlace.has(refusal.reason)) throw error;
    return { answer: null, refusal };
  }
}
