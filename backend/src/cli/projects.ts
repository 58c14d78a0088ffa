import { Backend } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import type { Command } from "commander";
import { createProject, getProject } from "../services/projects/project-operations.ts";
import { getSettings } from "../services/settings/settings-operations.ts";
import { bodyOf, written } from "./operations.ts";
import { explain } from "./failure.ts";
import { CommandFault, print } from "./output.ts";
import { projectNamed, withService } from "./service.ts";

/** `faultline projects create` and `delete` */
export function projectCommands(projects: Command): void {
  projects
    .command("create <path>")
    .description("Make a project")
    .option("--name <name>", "Its display name; the last part of the path if not given", "")
    .option("--active", "Turn error tracking on with the integrated backend, and show the settings with the DSN", false)
    .action((path: string, { name, active }: { name: string; active: boolean }) =>
      withService(async (service) => {
        const body = await bodyOf(service, createProject, { sent: { path, name } });
        print(body);
        if (!active) return;
        const { id: projectId } = body as { id: number }; // a project
        const { settings } = await service.settings
          .updateSettings({ projectId, active, backend: Backend.INTEGRATED }, service.call)
          .catch((error: unknown) => {
            if (!(error instanceof CallError)) throw error;
            throw new CommandFault(
              `The project ${path} was made, but error tracking is not active in it. ${explain(error)} Do not make the project again: use faultline settings set ${path}.`,
            );
          });
        print(await written(service, getSettings, { settings }));
      }),
    );

  projects
    .command("delete <project>")
    .description("Delete a project. An administrator can restore it for seven days.")
    .option(
      "--now",
      "For administrators: erase it now, so that its space comes back; <project> may be deleted already",
      false,
    )
    .action((named: string, { now }: { now: boolean }) =>
      withService(async (service) => {
        const { projects: deleted } = now
          ? await service.projects.listDeletedProjects({}, service.call)
          : { projects: [] };
        const before = deleted.find(({ projectId, path }) => String(projectId) === named || path === named);
        const project = before ?? (await projectNamed(service, named));
        const { projectId } = project;
        if (!before) await service.projects.deleteProject({ projectId }, service.call);
        if (now) await service.projects.removeDeletedProject({ projectId }, service.call);
        print(await written(service, getProject, { project }));
      }),
    );
}
