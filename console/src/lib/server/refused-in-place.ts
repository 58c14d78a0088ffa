import { externalFailure, isExternalFailure, type FailureText } from "#lib/failures/external-failure.ts";
import type { Refusal } from "#lib/failures/refusal.server.ts";
import type { Project } from "#lib/messages.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

/** Refusals that a page shows in place of the missing data. The controls of the page stay. */
const shownInPlace = new Set<Refusal["reason"]>([
  "ERROR_TRACKING_DISABLED",
  "SETTINGS_NOT_FOUND",
  "NOT_SUPPORTED_BY_BACKEND",
  "INVALID_FIELD",
  "INVALID_PAGE_TOKEN",
  "STORAGE_UNAVAILABLE",
  "OVERLOADED",
  "READ_TOO_EXPENSIVE",
  "TOO_MANY_ATTEMPTS",
  "RATE_LIMITED",
]);

interface Refused<T> {
  readonly answer: T | null;
  readonly refusal: Refusal | null;
}

/** The answer of a call, or the reason for its refusal. Refusals that concern the whole page are thrown. */
export const refusedInPlace = <T>(call: Promise<T>): Promise<Refused<T>> =>
  inPlace(call, ({ reason }) => shownInPlace.has(reason) || isExternalFailure(reason));

/** Same as refusedInPlace, for pages of an error: only failures of the external system are shown in place. */
export const failedInPlace = <T>(call: Promise<T>): Promise<Refused<T>> =>
  inPlace(call, ({ reason }) => isExternalFailure(reason));

async function inPlace<T>(call: Promise<T>, isShown: (refusal: Refusal) => boolean): Promise<Refused<T>> {
  try {
    return { answer: await call, refusal: null };
  } catch (error) {
    const refusal = refusalOfTrpc(error);
    if (!isShown(refusal)) throw error;
    return { answer: null, refusal };
  }
}

/** A failure of the external system, in the form for pages. */
export interface ShownFailure extends FailureText {
  /** Whether the person may change the settings. */
  readonly maintains: boolean;
  /** Its name in the service's log; empty for people who may not change the settings. */
  readonly detail: string;
  /** When to retry, in seconds. 0 if unknown. */
  readonly retryAfterSeconds: number;
}

/** A refusal in the form for pages if the external system failed; null for all other refusals. */
export async function shownFailure(api: Api, project: Project, refusal: Refusal | null): Promise<ShownFailure | null> {
  if (refusal === null || !isExternalFailure(refusal.reason)) return null;
  const { reason, message, retryAfterSeconds } = refusal;
  const maintains = project.capabilities?.adminErrorTracking?.allowed === true;
  const settings = maintains ? await api.settings.getSettings({ projectId: project.projectId }) : undefined;
  const address = settings?.settings?.externalApiUrl ?? "";
  const text = externalFailure(reason, { address, maintains, message });
  return { ...text, maintains, detail: maintains ? refusal.detail : "", retryAfterSeconds };
}
