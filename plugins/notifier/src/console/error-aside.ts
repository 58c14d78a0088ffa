import type { ErrorAside } from "@faultline/console/plugin";
import SubscriptionPanel from "./SubscriptionPanel.svelte";

export default {
  plugin: "notifier",
  panels: [{ name: "subscription", place: 20, component: SubscriptionPanel }],
} satisfies ErrorAside;
