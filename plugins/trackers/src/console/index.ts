import type { ConsolePart } from "@faultline/console/plugin";

export default {
  plugin: "trackers",
  navigation: [
    { section: "Settings", label: "Issue trackers", icon: "issue", page: "trackers", after: "Notifications" },
  ],
} satisfies ConsolePart;
