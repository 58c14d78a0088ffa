import type { ConsolePart } from "@faultline/console/plugin";

export default {
  plugin: "notes",
  navigation: [
    { section: "Monitor", label: "Notes", icon: "pencil", page: "notes", after: "Feedback" },
    { section: "Settings", label: "Notes", icon: "pencil", page: "notes" },
  ],
  palette: () => import("./palette.ts"),
} satisfies ConsolePart;
