import type { ConsolePart } from "@faultline/console/plugin";

export default {
  plugin: "saved-searches",
  palette: () => import("./palette.ts"),
} satisfies ConsolePart;
