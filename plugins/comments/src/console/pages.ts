import type { PluginPages } from "@faultline/console/plugin";

export default {
  plugin: "comments",
  errorTabs: { comments: { label: "Comments", component: () => import("./CommentsPage.svelte") } },
} satisfies PluginPages;
