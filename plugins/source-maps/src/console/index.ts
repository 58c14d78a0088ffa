import type { ConsolePart } from "@faultline/console/plugin";

export default {
  plugin: "source-maps",
  navigation: [{ section: "Monitor", label: "Source maps", icon: "code", page: "source_maps", after: "Releases" }],
} satisfies ConsolePart;
