import type { Error as StoredError } from "@faultline/proto";
import type { GrpcClient } from "../../core/grpc.ts";
import { storedErrors, storedEventIds } from "../stored.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import { countedReleaseOf, digestOf, pastHours, shards } from "./traffic.ts";

// The first verifier reads everything through the public API. The second verifier is audit.ts.

/** Reads everything in the projects, compares it with the workers' records, and returns the differences. */
export async function readBack(client: GrpcClient, projects: readonly number[], ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  const stored = new Map<string, LedgerEntry>();
  for (const project of projects) {
    const errors = await storedErrors(client, project);
    const ofError = new Map<string, LedgerEntry[]>();
    for (const error of errors) {
      const entries: LedgerEntry[] = [];
      for (const id of await storedEventIds(client, project, error.errorId)) {
        const entry = ledger.entries.get(id);
        if (!entry || entry.project !== project) found.push(`not sent: ${id} in ${error.title}`);
        else if (stored.has(id)) found.push(`twice: ${id} in ${error.title}`);
        else {
          stored.set(id, entry);
          entries.push(entry);
        }
      }
      ofError.set(error.errorId, entries);
      found.push(...(await errorDifferences(client, error, entries)));
    }
    found.push(...(await tagDifferences(client, project, ofError)));
    const present = [...stored.values()].filter((entry) => entry.project === project);
    found.push(...(await sessionDifferences(client, project, present)));
  }
  for (const { id, isAcknowledged } of ledger.entries.values())
    if (isAcknowledged && !stored.has(id)) found.push(`acknowledged and not readable: ${id}`);
  const unread = [...stored.values()].filter(({ id }) => !ledger.checkedContents.has(id));
  return [...found, ...(await contentDifferences(client, unread, ledger))];
}

/** Reads events one by one, each once, and compares their contents with what was sent. */
export async function contentDifferences(
  { errors, auth }: GrpcClient,
  entries: readonly LedgerEntry[],
  ledger: Ledger,
): Promise<string[]> {
  const found: string[] = [];
  const waiting = [...entries];
  const lane = async () => {
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      const { id, project, digest, user, release, environment, shard, level, hasFeedback } = entry;
      const { event } = await errors.getEvent({ projectId: project, eventId: id }, auth).catch((error: unknown) => {
        found.push(`acknowledged and not readable: ${id}: ${String(error)}`);
        return { event: undefined };
      });
      if (!event) continue;
      const said = [
        digestOf((JSON.parse(event.payloadJson) as { extra?: unknown }).extra),
        event.user?.id ?? "",
        event.release,
        event.environment,
        event.tags["shard"],
        event.level,
        event.feedback.map(({ comments }) => comments).join(),
      ];
      const sent = [digest, user, release, environment, shard, level, hasFeedback ? `about ${id}` : ""];
      if (said.join("\n") !== sent.join("\n"))
        found.push(`says otherwise: ${id}: ${said.join(", ")}; sent ${sent.join(", ")}`);
      ledger.checkedContents.add(id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return found;
}

async function errorDifferences(
  { errors, auth }: GrpcClient,
  error: StoredError,
  entries: readonly LedgerEntry[],
): Promise<string[]> {
  const { projectId, errorId } = error;
  const { startTime, counts } = await errors.getErrorStats({ projectId, errorId, hourCount: pastHours + 2 }, auth);
  const firstHour = Number(startTime?.seconds ?? 0) / 3600;
  const times = entries.map(({ occurredAt }) => occurredAt);
  const sent = {
    type: [...new Set(entries.map((entry) => entry.error))].join(),
    eventCount: entries.length,
    users: new Set(entries.flatMap(({ user }) => user || [])).size,
    first: Math.min(...times),
    last: Math.max(...times),
    counts: counts.map((_, hour) => times.filter((time) => Math.floor(time / 3_600_000) === firstHour + hour).length),
  };
  const said: typeof sent = {
    type: error.type,
    eventCount: error.eventCount,
    users: error.affectedUserCount,
    first: Number(error.firstSeenTime?.seconds) * 1000,
    last: Number(error.lastSeenTime?.seconds) * 1000,
    counts,
  };
  const isEqual = JSON.stringify(said) === JSON.stringify(sent);
  return isEqual ? [] : [`${error.title}: ${JSON.stringify(said)}; sent ${JSON.stringify(sent)}`];
}

/** A search by tag finds exactly the errors that have such an event. */
async function tagDifferences(
  client: GrpcClient,
  project: number,
  ofError: ReadonlyMap<string, readonly LedgerEntry[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const shard of shards) {
    const errors = await storedErrors(client, project, `shard:${shard}`);
    const said = errors.map(({ errorId }) => errorId).toSorted();
    const sent = [...ofError].filter(([, entries]) => entries.some((entry) => entry.shard === shard));
    const ids = sent.map(([errorId]) => errorId).toSorted();
    if (said.join() !== ids.join()) found.push(`shard:${shard} finds ${said.join()}; sent ${ids.join()}`);
  }
  return found;
}

async function sessionDifferences(
  { releases, auth }: GrpcClient,
  projectId: number,
  entries: readonly LedgerEntry[],
): Promise<string[]> {
  const sent = new Map<string, number[]>();
  const users = new Map<string, Set<string>>();
  const add = (release: string, [total, errored, crashed]: readonly [number, number, number]) => {
    const [t = 0, e = 0, c = 0] = sent.get(release) ?? [];
    sent.set(release, [t + total, e + errored, c + crashed]);
  };
  for (const { release, session, era, countedSessions, user } of entries) {
    if (countedSessions > 0) add(countedReleaseOf(era), [countedSessions, 0, 0]);
    if (session === "") continue;
    add(release, [1, Number(session === "errored"), Number(session === "crashed")]);
    if (user !== "") users.set(release, (users.get(release) ?? new Set()).add(user));
  }
  const said: string[] = [];
  let pageToken = "";
  do {
    const page = await releases.listReleases({ projectId, hourCount: pastHours + 2, pageSize: 100, pageToken }, auth);
    for (const { version, sessions, userCount } of page.releases)
      said.push(`${version} ${[sessions?.total, sessions?.errored, sessions?.crashed].join()} users ${userCount}`);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  const wanted = Array.from(sent, ([release, n]) => `${release} ${n.join()} users ${users.get(release)?.size ?? 0}`);
  const isEqual = said.toSorted().join("; ") === wanted.toSorted().join("; ");
  return isEqual ? [] : [`sessions of ${projectId}: ${said.join("; ")}; sent ${wanted.join("; ")}`];
}
