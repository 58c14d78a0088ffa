import { millisecondsOf, type Host } from "@faultline/plugin";
import {
  ActivityKind,
  ActivityService,
  ErrorService,
  ErrorSort,
  ErrorStatus,
  type ActivityEntry,
  type Error as TrackedError,
} from "@faultline/proto";

const pageSize = 100;
const mostPages = 10;

/** An error with its statuses. */
export interface PastError {
  readonly error: TrackedError;
  /** The changes of its status, the oldest first. */
  readonly entries: readonly ActivityEntry[];
}

export interface PastErrors {
  readonly errors: readonly PastError[];
  /** Earlier changes are not known: the requested start, or later if there are too many errors. */
  readonly start: number;
}

/** The most recently seen errors, at most 1,000, with their changes since a time. */
export async function readPastErrors(
  { invoke }: Pick<Host, "invoke">,
  { projectId, since, signal }: { projectId: number; since: number; signal: AbortSignal | undefined },
): Promise<PastErrors> {
  const listed: TrackedError[] = [];
  let pageToken = "";
  for (let page = 0; page < mostPages && (page === 0 || pageToken !== ""); page++) {
    const asked = { projectId, sort: ErrorSort.LAST_SEEN, pageSize, pageToken };
    const answer = await invoke(ErrorService.method.listErrors, asked, signal);
    listed.push(...answer.errors);
    pageToken = answer.nextPageToken;
  }
  const oldest = timeOf(listed.at(-1)?.lastSeenTime);
  const errors: PastError[] = [];
  for (const error of listed) {
    const isChanged = timeOf(error.reopenedTime) >= since || timeOf(error.statusChangedTime) >= since;
    const entries = isChanged ? await entriesOf({ invoke }, { projectId, errorId: error.errorId, signal }) : [];
    errors.push({ error, entries });
  }
  return { errors, start: pageToken === "" ? since : Math.max(since, oldest) };
}

/** The latest 100 changes of an error, the oldest first. */
async function entriesOf(
  { invoke }: Pick<Host, "invoke">,
  { signal, ...of }: { projectId: number; errorId: string; signal: AbortSignal | undefined },
): Promise<ActivityEntry[]> {
  const { entries } = await invoke(ActivityService.method.listErrorActivity, { ...of, pageSize }, signal);
  return entries
    .filter(({ kind }) => kind === ActivityKind.REOPENED || kind === ActivityKind.STATUS_CHANGED)
    .toReversed();
}

/** The status that an error had at a time. */
export function statusAt({ error, entries }: PastError, at: number): ErrorStatus {
  const last = entries.findLast(({ time }) => timeOf(time) <= at);
  if (last) return last.status;
  const [next] = entries;
  return next ? next.statusBefore || ErrorStatus.UNRESOLVED : error.status;
}

/** 0 if there is none. */
export const timeOf = (time: TrackedError["lastSeenTime"]): number => (time ? millisecondsOf(time) : 0);
