import type { ErrorAside } from "@faultline/console/plugin";
import AbsentView from "./AbsentView.svelte";

export default {
  plugin: "absent",
  panels: [{ name: "absent", place: 1, component: AbsentView }],
} satisfies ErrorAside;
