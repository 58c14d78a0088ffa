import { refuseMissingError, serve } from "@faultline/plugin";
import { TrackerIssueService } from "@faultline/proto";
import { trackerKindNamed } from "../kinds.ts";
import type { IssueRow } from "../tables.ts";
import { readTracker, trackersIn } from "../tracker.ts";
import { createIssue } from "./create-issue.ts";
import { issueOfError, issueToProto } from "./issue.ts";
import { linkIssue, unlinkIssue } from "./link-issue.ts";

/** The issues of errors. `baseUrl` is the address of the console. */
export const issueService = (baseUrl: () => string) =>
  serve(TrackerIssueService, (host) => {
    const { database } = host;
    const shown = async (row: IssueRow) => ({
      issue: issueToProto(row, await readTracker(database.read(), row.project_id, row.tracker_id)),
    });
    return {
      async getTrackerIssue({ errorId }, { grant, signal }) {
        const of = { projectId: grant.project.id, errorId };
        const trackers = await trackersIn(database.read(), of.projectId);
        const row = trackers.length === 0 ? undefined : await issueOfError(database.read(), of);
        if (!row) await refuseMissingError(host, of, signal);
        const tracker = trackers.find(({ id }) => id === row?.tracker_id);
        return {
          ...(row && tracker && { issue: issueToProto(row, tracker) }),
          trackers: trackers.map(({ id, kind, name }) => ({
            trackerId: id,
            name,
            kindName: trackerKindNamed(kind).name,
            offersConfidential: trackerKindNamed(kind).offersConfidential,
          })),
        };
      },

      async createTrackerIssue({ errorId, trackerId, confidential }, { grant, caller }) {
        const of = { projectId: grant.project.id, errorId };
        const given = { ...of, trackerId, isConfidential: confidential, by: caller.user.username };
        return shown(await createIssue({ host, baseUrl }, given));
      },

      async linkTrackerIssue({ errorId, url }, { grant, caller }) {
        const of = { projectId: grant.project.id, errorId };
        return shown(await linkIssue(host, { ...of, url, by: caller.user.username }));
      },

      async unlinkTrackerIssue({ errorId }, { grant }) {
        return shown(await unlinkIssue(host, { projectId: grant.project.id, errorId }));
      },
    };
  });
