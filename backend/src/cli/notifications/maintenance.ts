import { NotificationMaintenanceSchema, type NotificationMaintenance } from "@faultline/proto";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { printMessage } from "../output.ts";
import { onProject } from "../service.ts";
import { timeIn } from "../time-in.ts";

/** `faultline notifications maintenance ...` */
export function maintenanceCommands(notifications: Command): void {
  const maintenance = notifications
    .command("maintenance")
    .description("the window in which a project sends nothing, and counts what it did not send");

  maintenance
    .command("show <project>")
    .description("show the window; nothing is printed where none is set")
    .action(
      onProject(async (service, { projectId }) => {
        print(
          (await service.notificationMaintenance.getNotificationMaintenance({ projectId }, service.call)).maintenance,
        );
      }),
    );

  maintenance
    .command("set <project>")
    .description("set the window, in place of the one before")
    .requiredOption("--until <time>", "its end, such as 2026-11-25T10:00:00Z", timeIn)
    .option("--from <time>", "its start; now if not given", timeIn)
    .action(
      onProject(async (service, { projectId }, { from, until }: { from?: Timestamp; until: Timestamp }) => {
        const given = { projectId, endTime: until, ...(from && { startTime: from }) };
        print((await service.notificationMaintenance.setNotificationMaintenance(given, service.call)).maintenance);
      }),
    );

  maintenance
    .command("end <project>")
    .description("end the window now")
    .action(
      onProject(async (service, { projectId }) => {
        print(
          (await service.notificationMaintenance.endNotificationMaintenance({ projectId }, service.call)).maintenance,
        );
      }),
    );
}

function print(maintenance: NotificationMaintenance | undefined): void {
  if (maintenance) printMessage(NotificationMaintenanceSchema, maintenance);
}
