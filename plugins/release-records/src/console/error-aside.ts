import type { ErrorAside } from "@faultline/console/plugin";
import SuspectCommits from "./SuspectCommits.svelte";

export default {
  plugin: "release-records",
  panels: [{ name: "suspects", place: 10, component: SuspectCommits }],
} satisfies ErrorAside;
