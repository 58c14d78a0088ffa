import type { ErrorAside } from "@faultline/console/plugin";
import ActivityPanel from "./ActivityPanel.svelte";

export default {
  plugin: "activity",
  panels: [{ name: "activity", place: 30, component: ActivityPanel }],
} satisfies ErrorAside;
