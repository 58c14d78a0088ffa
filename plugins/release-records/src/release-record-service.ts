import { serve } from "@faultline/plugin";
import { ReleaseRecordService } from "@faultline/proto";
import { bytesOf, readCommits, replaceCommits, listCommits, previousCommit } from "./records/commits.ts";
import { listDeploys, recordDeploy } from "./records/deploys.ts";
import { listRecords, recordingProjects, deployToProto, recordOf, recordsToProto } from "./records/release-record.ts";
import { putRecord, smallBytes } from "./records/put-record.ts";
import { readName, readTime, readUrl, readVersion } from "./records/read-fields.ts";
import { codeUrlOf, listSuspects } from "./suspects/list-suspects.ts";
import type { Tables } from "./tables.ts";

/** Releases as builds record them. */
export const releaseRecordService = serve(ReleaseRecordService, (host) => {
  const read = () => host.database.read<Tables>();
  return {
    async recordRelease(request, { grant }) {
      const of = { projectId: grant.project.id, version: readVersion(request.version) };
      const startedAt = readTime("started_time", request.startedTime);
      const releasedAt = readTime("released_time", request.releasedTime);
      const fields = {
        bytes: smallBytes,
        ...(request.url !== undefined && { url: readUrl(request.url) }),
        ...(request.ref !== undefined && { ref: readName("ref", request.ref) }),
        ...(startedAt !== undefined && { started_at: startedAt }),
        ...(releasedAt !== undefined && { released_at: releasedAt }),
      };
      return putRecord(host, of, fields, async (transaction, { row, created }) => {
        const [releaseRecord] = await recordsToProto(transaction, [row]);
        return { ...(releaseRecord && { releaseRecord }), created };
      });
    },

    async recordCommits(request, { grant }) {
      const of = { projectId: grant.project.id, version: readVersion(request.version) };
      const commits = readCommits(request.commits);
      return putRecord(host, of, { bytes: bytesOf(commits) }, async (transaction, { row }) => {
        await replaceCommits(transaction, row, commits);
        const [releaseRecord] = await recordsToProto(transaction, [{ ...row, commit_count: commits.length }]);
        return { ...(releaseRecord && { releaseRecord }) };
      });
    },

    async recordDeploy(request, { grant }) {
      const { deploy, created } = await recordDeploy(host, grant.project.id, request);
      return { deploy: deployToProto(deploy), created };
    },

    async listRecordingProjects({ version }, { caller }) {
      return { projects: await recordingProjects(host, caller.user.id, readVersion(version)) };
    },

    async getPreviousCommit({ version }, { grant }) {
      return previousCommit(read(), { projectId: grant.project.id, version: readVersion(version) });
    },

    async getReleaseRecord({ version }, { grant }) {
      const row = await recordOf(read(), { projectId: grant.project.id, version });
      const [releaseRecord] = await recordsToProto(read(), [row]);
      return { ...(releaseRecord && { releaseRecord }) };
    },

    listReleaseRecords: (request, { grant }) => listRecords(read(), grant.project.id, request),

    async deleteReleaseRecord({ version }, { grant }) {
      const row = await recordOf(read(), { projectId: grant.project.id, version });
      const [releaseRecord] = await recordsToProto(read(), [row]);
      await host.database.write<Tables>().deleteFrom("release_record").where("id", "=", row.id).execute();
      return { ...(releaseRecord && { releaseRecord }) };
    },

    async listCommits(request, { grant, signal }) {
      const codeUrl = await codeUrlOf(host, grant.project.id, signal);
      return listCommits(read(), { projectId: grant.project.id, codeUrl }, request);
    },

    listDeploys: (request, { grant }) => listDeploys(read(), grant.project.id, request),

    listSuspectCommits: ({ errorId, eventId }, { grant, signal }) =>
      listSuspects(host, { projectId: grant.project.id, errorId, eventId }, signal),
  };
});
