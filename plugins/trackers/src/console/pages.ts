import type { PluginPages } from "@faultline/console/plugin";

export default {
  plugin: "trackers",
  settings: { trackers: () => import("./TrackersPage.svelte") },
  errorTabs: { issue: { component: () => import("./IssuePage.svelte") } },
} satisfies PluginPages;
