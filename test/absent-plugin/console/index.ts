import type { ConsolePart } from "@faultline/console/plugin";

export default {
  plugin: "absent",
  navigation: [{ section: "Monitor", label: "Absent", icon: "clock", page: "absent" }],
} satisfies ConsolePart;
