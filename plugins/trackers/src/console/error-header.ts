import type { ErrorHeader } from "@faultline/console/plugin";
import IssueLine from "./IssueLine.svelte";
import IssueLink from "./IssueLink.svelte";

export default {
  plugin: "trackers",
  action: IssueLink,
  line: IssueLine,
} satisfies ErrorHeader;
