import type { Error as StoredError } from "@faultline/proto";
import type { GrpcClient } from "../core/grpc.ts";

/** All errors of a project, or all that a search finds, read page by page. */
export async function storedErrors(
  { errors, auth }: GrpcClient,
  projectId: number,
  query = "",
): Promise<StoredError[]> {
  const all: StoredError[] = [];
  let pageToken = "";
  do {
    const page = await errors.listErrors({ projectId, query, pageSize: 100, pageToken }, auth);
    all.push(...page.errors);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return all;
}

/** The sum of the event counts of a project's errors. */
export async function storedEventCount(client: GrpcClient, projectId: number): Promise<number> {
  const errors = await storedErrors(client, projectId);
  return errors.reduce((sum, error) => sum + error.eventCount, 0);
}

/** The ids of all events of an error, read page by page. */
export async function storedEventIds(
  { errors, auth }: GrpcClient,
  projectId: number,
  errorId: string,
): Promise<string[]> {
  const ids: string[] = [];
  let pageToken = "";
  do {
    const page = await errors.listEvents({ projectId, errorId, pageSize: 100, pageToken }, auth);
    ids.push(...page.events.map((event) => event.eventId));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return ids;
}
