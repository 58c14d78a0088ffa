import type { MessageInitShape } from "@bufbuild/protobuf";
import { commitAddress, dayMs, type Host } from "@faultline/plugin";
import {
  ErrorService,
  EventPosition,
  ProjectService,
  type Event,
  type ListSuspectCommitsRequest,
  type ListSuspectCommitsResponseSchema,
} from "@faultline/proto";
import { commitToProto, pathsOf } from "../records/commits.ts";
import { findRecord } from "../records/release-record.ts";
import type { RecordRow, Tables } from "../tables.ts";
import { rankCommits, type SuspectFrame } from "./rank-commits.ts";

/** Frames of the application that are compared (triage.md 9). */
const mostFrames = 25;
const mostSuspects = 5;

/** The methods that it calls. */
export const suspectCalls = [
  ErrorService.method.getError,
  ErrorService.method.getEvent,
  ProjectService.method.getProject,
];

/** The commits that an error may come from, see ListSuspectCommits. */
export async function listSuspects(
  host: Host,
  { projectId, errorId, eventId }: Pick<ListSuspectCommitsRequest, "errorId" | "eventId"> & { projectId: number },
  signal: AbortSignal | undefined,
): Promise<MessageInitShape<typeof ListSuspectCommitsResponseSchema>> {
  const which = eventId === "" ? { position: EventPosition.NEWEST } : { eventId };
  // One after the other, so that an unknown error is always refused as such.
  const { error } = await host.invoke(ErrorService.method.getError, { projectId, errorId }, signal);
  const { event } = await host.invoke(ErrorService.method.getEvent, { projectId, errorId, ...which }, signal);
  if (!error || !event) return {};
  const record = await recordWithCommits(host, projectId, [error.firstRelease, event.release]);
  if (!record) return {};
  await noteUse(host, record);
  const rows = await host.database
    .read<Tables>()
    .selectFrom("release_commit")
    .selectAll()
    .where("release_id", "=", record.id)
    .orderBy("position")
    .execute();
  const commits = rows.map((row) => ({ row, paths: pathsOf(row) }));
  const suspects = rankCommits(framesOf(event), commits).slice(0, mostSuspects);
  const codeUrl = suspects.length === 0 ? "" : await codeUrlOf(host, projectId, signal);
  return {
    version: record.version,
    suspectCommits: suspects.map(({ commit: { row }, path, frame }) => ({
      commit: commitToProto(row, { paths: [], codeUrl: commitAddress(codeUrl, row.commit_id) }),
      path,
      frameFilename: frame.filename || frame.absPath,
      frameFunction: frame.function,
      frameLineno: frame.lineno,
    })),
  };
}

/** The pattern of addresses in the project's repository; see Project.code_url. */
export async function codeUrlOf(host: Host, projectId: number, signal: AbortSignal | undefined): Promise<string> {
  const { project } = await host.invoke(
    ProjectService.method.getProject,
    { key: { case: "projectId", value: projectId } },
    signal,
  );
  return project?.codeUrl ?? "";
}

/** The record of the first of the releases that has commits. */
async function recordWithCommits(
  { database }: Host,
  projectId: number,
  versions: readonly string[],
): Promise<RecordRow | undefined> {
  for (const version of new Set(versions)) {
    const record = version === "" ? undefined : await findRecord(database.read<Tables>(), { projectId, version });
    if (record && Number(record.commit_count) > 0) return record;
  }
  return undefined;
}

/** Keeps a record that is in use, exact to a day: a page that is read need not write each time. */
async function noteUse({ database, clock }: Host, { id, used_at }: RecordRow): Promise<void> {
  const now = clock.now();
  if (now - Number(used_at) < dayMs) return;
  await database.write<Tables>().updateTable("release_record").set({ used_at: now }).where("id", "=", id).execute();
}

/** The application's frames, the one nearest to the failure first: the cause before the exceptions that it led to. */
function framesOf({ exceptions, threads }: Event): SuspectFrame[] {
  const stacks = exceptions.length > 0 ? exceptions : threads;
  return stacks
    .flatMap(({ frames }) => frames.toReversed())
    .filter(({ inApp }) => inApp)
    .slice(0, mostFrames);
}
