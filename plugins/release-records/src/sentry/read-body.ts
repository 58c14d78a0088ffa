import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { JsonTooLarge, parseForeignJson, timestamp, type HttpCall } from "@faultline/plugin";
import type { CommitSchema } from "@faultline/proto";
import { limits } from "../limits.ts";
import { Refusal } from "./answers.ts";

/** Bytes of a body: 1,000 commits of ten files each take about 1 MiB. */
const maxBytes = 2 * 1024 * 1024;

/** Bytes of a body that count as one call: parsing them takes as much of the event loop. */
const bytesOfCall = 32 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body. Refuses a body that is too large, or not a JSON object. A large body counts as several calls. */
export async function readFields(call: HttpCall): Promise<Fields> {
  await call.core.sourceMaps.getUploadLimits({}, call); // refuses a token that may not record before the body is read
  const bytes = await call.rawBody(maxBytes);
  if (!bytes) {
    throw new Refusal(
      413,
      `The request has more than ${maxBytes} bytes. Send fewer commits at a time: --initial-depth 20.`,
    );
  }
  const calls = Math.floor(bytes.length / bytesOfCall);
  if (calls > 0) await call.spend(calls);
  try {
    const body: unknown = bytes.length === 0 ? {} : parseForeignJson(bytes);
    if (isFields(body)) return body;
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new Refusal(413, `${error.message} Send fewer commits at a time.`);
    // Refused below, as anything that is not an object.
  }
  throw new Refusal(400, "The body must be a JSON object.");
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text; empty where it is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The slugs of a list of projects. */
export const slugsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A time such as `2026-05-01T10:20:30.123456789Z`; undefined where there is none. Refuses a text that is no time. */
export function timeOf(field: string, value: unknown): Timestamp | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = Date.parse(String(value));
  if (Number.isNaN(ms)) throw new Refusal(400, `\`${field}\` must be a time such as 2026-05-01T10:20:30Z.`);
  return timestamp(ms);
}

/**
 * The commits of a body, the newest first; undefined where it sets none. `refs` name only the last commit of each repository:
 * its author and changed files are not known, as this service reads no repository.
 */
export function commitsOf({ commits, refs }: Fields): MessageInitShape<typeof CommitSchema>[] | undefined {
  if (Array.isArray(commits)) return commits.filter(isFields).slice(0, limits.commits).map(commitOf);
  if (!Array.isArray(refs)) return undefined;
  return refs
    .filter(isFields)
    .slice(0, limits.commits)
    .map(({ commit, repository }) => ({ commitId: textOf(commit), repository: textOf(repository) }));
}

function commitOf(commit: Fields): MessageInitShape<typeof CommitSchema> {
  const changes = Array.isArray(commit["patch_set"]) ? commit["patch_set"].filter(isFields) : [];
  const time = timeOf("commits.timestamp", commit["timestamp"]);
  return {
    commitId: textOf(commit["id"]),
    repository: textOf(commit["repository"]),
    message: textOf(commit["message"]),
    authorName: textOf(commit["author_name"]),
    authorEmail: textOf(commit["author_email"]),
    ...(time && { committedTime: time }),
    paths: changes.slice(0, limits.pathsOfCommit).map(({ path }) => textOf(path)),
    pathCount: changes.length,
  };
}
