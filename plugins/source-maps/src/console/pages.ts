import type { PluginPages } from "@faultline/console/plugin";

export default {
  plugin: "source-maps",
  projectPages: { source_maps: () => import("./SourceMaps.svelte") },
} satisfies PluginPages;
