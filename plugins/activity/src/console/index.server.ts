import type { ServerPart } from "@faultline/console/plugin.server";
import { shownAtFirst } from "./activity-words.ts";

export default {
  plugin: "activity",
  errorAside: {
    activity: ({ api, project: { projectId }, errorId }) =>
      api.activity.listErrorActivity({ projectId, errorId, pageSize: shownAtFirst }),
  },
} satisfies ServerPart;
