import type { Command } from "commander";
import { channelCommands } from "./channels.ts";
import { deliveryCommands } from "./deliveries.ts";
import { inboxCommands } from "./inbox.ts";
import { maintenanceCommands } from "./maintenance.ts";
import { preferenceCommands } from "./preferences.ts";
import { ruleCommands } from "./rules.ts";

/** `faultline notifications ...` */
export function notificationCommands(program: Command): void {
  const notifications = program
    .command("notifications")
    .description("where a project's notifications go, what was sent or not, and what you are notified of yourself");
  channelCommands(notifications);
  ruleCommands(notifications);
  maintenanceCommands(notifications);
  deliveryCommands(notifications);
  inboxCommands(notifications);
  preferenceCommands(notifications);
}
