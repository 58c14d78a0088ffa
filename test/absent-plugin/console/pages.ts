import type { PluginPages } from "@faultline/console/plugin";

const component = () => import("./AbsentView.svelte");

export default {
  plugin: "absent",
  projectPages: { absent: component },
  errorTabs: { absent: { label: "Absent", component } },
} satisfies PluginPages;
