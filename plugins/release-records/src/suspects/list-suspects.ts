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

/** Frames of the application that are compared (triage.md 9). */
const mostFrames = 25;
const mostSuspects = 5;

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

/** The fields of a frame by which its file is found. */
export interface SuspectFrame {
  readonly filename: string;
  readonly absPath: string;
  readonly module: string;
  readonly function: string;
  readonly lineno: number;
}

interface ChangingCommit {
  readonly paths: readonly string[];
}

/** A commit that changed files of frames: which, and how suspect it is. */
interface Suspect<Commit> {
  readonly commit: Commit;
  readonly score: number;
  /** The changed file of the frame nearest to the failure, and that frame. */
  readonly path: string;
  readonly frame: SuspectFrame;
}

/** Frames with a changed file that count: the first counts 5, the last 1 (triage.md 9). */
const countedFrames = 5;

/**
 * The commits that changed files of frames, the most suspect first; equally suspect commits keep their order. `frames` are the frames of
 * the application, the one nearest to the failure first.
 */
export function rankCommits<Commit extends ChangingCommit>(
  frames: readonly SuspectFrame[],
  commits: readonly Commit[],
): Suspect<Commit>[] {
  const changes = filesByName(commits);
  const suspects = new Map<Commit, Suspect<Commit>>();
  let weight = countedFrames;
  for (const frame of frames) {
    if (weight === 0) break;
    const match = bestMatch(frame, changes);
    if (!match) continue;
    for (const commit of match.commits) {
      const { score, path, frame: nearest } = suspects.get(commit) ?? { score: 0, path: match.path, frame };
      suspects.set(commit, { commit, score: score + weight, path, frame: nearest });
    }
    weight -= 1;
  }
  return [...suspects.values()].toSorted((one, other) => other.score - one.score);
}

interface ChangedFile<Commit> {
  readonly path: string;
  readonly parts: readonly string[];
  readonly commits: Commit[];
}

/** The changed files by the last part of their path, so that a frame is compared only with files of its name. */
function filesByName<Commit extends ChangingCommit>(
  commits: readonly Commit[],
): ReadonlyMap<string, readonly ChangedFile<Commit>[]> {
  const files = new Map<string, ChangedFile<Commit>>();
  for (const commit of commits) {
    for (const path of new Set(commit.paths)) {
      const file = files.get(path) ?? { path, parts: pathParts(path), commits: [] };
      file.commits.push(commit);
      files.set(path, file);
    }
  }
  return Map.groupBy(files.values(), ({ parts }) => parts.at(-1) ?? "");
}

/** The changed file with the longest end in common with a path of the frame; undefined if no file matches. */
function bestMatch<Commit>(
  frame: SuspectFrame,
  changes: ReadonlyMap<string, readonly ChangedFile<Commit>[]>,
): ChangedFile<Commit> | undefined {
  let best: { readonly shared: number; readonly file: ChangedFile<Commit> } | undefined;
  for (const parts of pathsOfFrame(frame)) {
    for (const file of changes.get(parts.at(-1) ?? "") ?? []) {
      const shared = sharedSuffix(parts, file.parts);
      if (shared > (best?.shared ?? 0)) best = { shared, file };
    }
  }
  return best?.file;
}

/** A frame's paths: both that it may have, and for classes the path that their package makes. */
function pathsOfFrame({ filename, absPath, module }: SuspectFrame): string[][] {
  const packages = ofClass.test(filename) ? [...module.split(".").slice(0, -1), filename].join("/") : "";
  return [absPath, filename, packages].map(pathParts).filter(({ length }) => length > 0);
}

/** A file without a directory, from frames that name a class. */
const ofClass = /^[^/]+\.(?:java|kt|scala|groovy)$/;

/** Parts at the end of a path that are compared: thousands of files with long paths must not take long. */
const partsCompared = 8;

/** The last parts of a path that a frame or a version control names, without anything before the path of a file. */
export function pathParts(path: string): string[] {
  const plain = path
    .replaceAll("\\", "/")
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, "") // scheme and host, also of webpack and `app:///`
    .replace(/[?#].*$/, "");
  const parts = plain.split("/").filter((part) => part !== "" && part !== "." && part !== "~" && part !== "..");
  return parts.slice(-partsCompared);
}

/**
 * How many parts at their ends a frame's path and a changed file have in common; 0 if they do not match. A name alone
 * says little because many folders have an `index.js`: it matches only between files at the root (triage.md 9, sentry#38492), of
 * a full path below one folder, such as `/app/server.js`.
 */
export function sharedSuffix(frame: readonly string[], changed: readonly string[]): number {
  let shared = 0;
  while (shared < Math.min(frame.length, changed.length) && frame.at(-1 - shared) === changed.at(-1 - shared))
    shared += 1;
  if (shared !== 1) return shared;
  return changed.length === 1 && frame.length <= 2 ? 1 : 0;
}
