import type { ErrorAside } from "@faultline/console/plugin";
import LatestComments from "./LatestComments.svelte";

export default {
  plugin: "comments",
  panels: [{ name: "latest", place: 40, component: LatestComments }],
} satisfies ErrorAside;
