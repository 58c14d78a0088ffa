import type { PluginPages } from "@faultline/console/plugin";

const page = () => import("./NotesPage.svelte");

export default {
  plugin: "notes",
  projectPages: { notes: page },
  settings: { notes: page },
  errorTabs: { notes: { label: "Notes", component: page } },
} satisfies PluginPages;
