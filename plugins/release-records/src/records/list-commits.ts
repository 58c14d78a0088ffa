import type { MessageInitShape } from "@bufbuild/protobuf";
import { commitAddress, pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import type { ListCommitsRequest, ListCommitsResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { commitToProto, pathsOf } from "./commits.ts";
import { recordOf } from "./release-record.ts";

/** A page of a release's commits, the newest first. */
export async function listCommits(
  tables: Kysely<Tables>,
  { projectId, codeUrl }: { readonly projectId: number; readonly codeUrl: string },
  request: ListCommitsRequest,
): Promise<MessageInitShape<typeof ListCommitsResponseSchema>> {
  const record = await recordOf(tables, { projectId, version: request.version });
  const list = `commits ${record.id}`;
  const [after] = readPageToken(list, request.pageToken, ["number"]) ?? [-1];
  const size = pageSizeOf(request);
  const rows = await tables
    .selectFrom("release_commit")
    .selectAll()
    .where("release_id", "=", record.id)
    .where("position", ">", after)
    .orderBy("position")
    .limit(size + 1)
    .execute();
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    commits: shown.map((row) =>
      commitToProto(row, { paths: pathsOf(row), codeUrl: commitAddress(codeUrl, row.commit_id) }),
    ),
    nextPageToken: rows.length > size && last ? pageToken(list, [Number(last.position)]) : "",
  };
}
