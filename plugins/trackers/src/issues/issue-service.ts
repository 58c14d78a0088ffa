import { refuseMissingError, serve, type Host, invalidField, readErrors, ServiceError } from "@faultline/plugin";
import { TrackerIssueService, ErrorReason, TrackerIssueState as State } from "@faultline/proto";
import { trackerKindNamed } from "../kinds/tracker-kinds.ts";
import type { IssueRow, TrackerRow, TrackerTables } from "../tables.ts";
import { readTracker, trackersIn, openTrackerConfig } from "../tracker.ts";
import {
  createIssue,
  newMark,
  readingWait,
  issueOfError,
  issueToProto,
  columnsOf,
  type OfError,
} from "./create-issue.ts";
import { openTracker } from "../call-tracker.ts";
import { orRefusal } from "../tracker-failure.ts";
import type { Issue } from "../tracker-kind.ts";

/** Links an error to an existing issue in one of the project's trackers. */
async function linkIssue(
  host: Host,
  { projectId, errorId, url, by }: OfError & { readonly url: string; readonly by: string },
): Promise<IssueRow> {
  const error = (await readErrors(host, { projectId, errorIds: [errorId] })).get(errorId);
  if (!error) throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, "This error does not exist in this project.");
  const { tracker, issue } = await issueAt(host, projectId, url);
  const now = host.clock.now();
  const values = {
    ...columnsOf(issue),
    project_id: projectId,
    error_id: errorId,
    tracker_id: tracker.id,
    mark: newMark(),
    is_confidential: 0,
    tries: 0,
    due_at: now + readingWait(issue.isOpen, tracker, now),
    created_at: now,
    created_by: by,
  };
  const linked = await host.database
    .write<TrackerTables>()
    .insertInto("notifier_issue")
    .values(values)
    .onConflict((conflict) => conflict.columns(["project_id", "error_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (linked) return linked;
  throw new ServiceError(ErrorReason.TRACKER_ISSUE_EXISTS, "This error already has an issue. Unlink it first.");
}

/** The issue at an address, read from the tracker. */
async function issueAt(host: Host, projectId: number, url: string): Promise<{ tracker: TrackerRow; issue: Issue }> {
  const address = url.length <= 2_000 ? URL.parse(url.trim()) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw invalidField("url", "Enter the address of an issue, which begins with https:// or http://.");
  }
  let isKnown = false;
  for (const tracker of await trackersIn(host.database.read(), projectId)) {
    const kind = trackerKindNamed(tracker.kind);
    const { fields } = openTrackerConfig(host.secrets, tracker);
    const key = kind.keyIn(address, fields);
    if (key === undefined) continue;
    isKnown = true;
    const issue = (await orRefusal(kind.read(openTracker(host, kind, fields), [key]))).get(key);
    if (issue && pathOf(issue.url) === pathOf(address.href)) return { tracker, issue };
  }
  if (!isKnown) throw invalidField("url", "This address belongs to none of the project's issue trackers.");
  throw new ServiceError(
    ErrorReason.TRACKER_ISSUE_NOT_FOUND,
    "The tracker has no issue at this address, or its token cannot see it.",
  );
}

/** GitLab shows an issue at two addresses. */
const pathOf = (url: string): string =>
  new URL(url).pathname.replace("/-/work_items/", "/-/issues/").replace(/\/+$/, "").toLowerCase();

/** Removes the link to the issue of an error, and returns the former issue. */
async function unlinkIssue({ database }: Host, of: OfError): Promise<IssueRow> {
  const found = await issueOfError(database.write(), of);
  const removed = await database
    .write<TrackerTables>()
    .deleteFrom("notifier_issue")
    .where("id", "=", found?.id ?? 0)
    .where("state", "<>", State.CREATING)
    .returningAll()
    .executeTakeFirst();
  if (removed) return removed;
  throw new ServiceError(
    ErrorReason.TRACKER_ISSUE_NOT_FOUND,
    found ? "The issue is being created. Wait until this is done." : "This error has no issue.",
  );
}

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
