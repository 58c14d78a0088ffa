import { dayMs, millisecondsOf, type Host } from "@faultline/plugin";
import { ErrorService, ErrorSort, ErrorStatus, type Error as TrackedError } from "@faultline/proto";
import type { SeenErrors } from "./look.ts";

const pageSize = 100;
const mostPages = 5;

/** Reads the errors that polls look at, at most 500. */
export async function readSeenErrors(
  { invoke }: Pick<Host, "invoke">,
  { projectId, now, signal }: { projectId: number; now: number; signal: AbortSignal },
): Promise<SeenErrors> {
  const errors: TrackedError[] = [];
  const since = now - dayMs;
  let pageToken = "";
  for (let page = 0; page < mostPages; page++) {
    const asked = { projectId, status: ErrorStatus.UNRESOLVED, sort: ErrorSort.LAST_SEEN, pageSize, pageToken };
    const answer = await invoke(ErrorService.method.listErrors, asked, signal);
    if (answer.staleSinceTime) throw new Error("The external system cannot be reached."); // old counts would look like no events
    const recent = answer.errors.filter((error) => error.lastSeenTime && millisecondsOf(error.lastSeenTime) >= since);
    errors.push(...recent);
    pageToken = answer.nextPageToken;
    if (pageToken === "" || recent.length < answer.errors.length) return { errors, isCut: false };
  }
  return { errors, isCut: true };
}
