import { pageSizeOf, pageToken, readPageToken, serve } from "@faultline/plugin";
import { ActivityService } from "@faultline/proto";
import { entryToProto } from "./entry.ts";
import { readActivity } from "./read-activity.ts";

/** Lists the activity of an error. A token counts the entries that are left, as new ones come before them. */
export const activityService = serve(ActivityService, (host) => ({
  async listErrorActivity(request, { grant, signal }) {
    const { errorId } = request;
    const projectId = grant.project.id;
    const list = `activity ${projectId} ${errorId}`;
    const [left] = readPageToken(list, request.pageToken, ["number"]) ?? [Infinity];
    const { entries, isExternal } = await readActivity(host, { projectId, errorId }, signal);
    const start = Math.max(entries.length - left, 0);
    const end = start + pageSizeOf(request);
    return {
      entries: entries.slice(start, end).map(entryToProto),
      nextPageToken: end < entries.length ? pageToken(list, [entries.length - end]) : "",
      ownChangesOnly: isExternal,
    };
  },
}));
