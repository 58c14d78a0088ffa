import type { ServerPart } from "@faultline/console/plugin.server";

export default {
  plugin: "notifier",
  errorAside: {
    subscription: ({ api, project: { projectId }, errorId }) =>
      api.notificationPreferences.getErrorSubscription({ projectId, errorId }),
  },
} satisfies ServerPart;
