import type { ServerPart } from "@faultline/console/plugin.server";

export default {
  plugin: "release-records",
  errorAside: {
    async suspects({ api, project: { projectId }, errorId, event }) {
      const eventId = (await event())?.eventId;
      return eventId === undefined ? undefined : api.releaseRecords.listSuspectCommits({ projectId, errorId, eventId });
    },
  },
} satisfies ServerPart;
