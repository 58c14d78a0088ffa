import { refusedCallDetail, refusedCallMessage, refusedCallReason } from "#lib/failures/refused-call.ts";
import { trpc } from "#lib/trpc.ts";
import { connectionFailure, type ConnectionFailure, type Connected, type Asked } from "./connection-failure.ts";

const limitMs = 15_000;
const tooSlow: ConnectionFailure = { cause: "The external system did not answer within 15 seconds.", detail: "" };

/** Asks an external system for its projects, until the signal ends it. Import this file only when it is due. */
export async function askExternalSystem(asked: Asked, cancelled: AbortSignal): Promise<Connected> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    const signal = AbortSignal.any([cancelled, limit]);
    const { externalProjects, warnings } = await trpc.settings.listExternalProjects.mutate(asked, { signal });
    return { projects: externalProjects, warnings };
  } catch (error) {
    return { failure: limit.aborted ? tooSlow : failureOf(error) };
  }
}

function failureOf(error: unknown): ConnectionFailure {
  return connectionFailure({
    reason: refusedCallReason(error),
    message: refusedCallMessage(error),
    detail: refusedCallDetail(error),
  });
}
