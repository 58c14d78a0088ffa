import { Backend, ProjectSchema, SettingsSchema } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import type { Command } from "commander";
import { CommandFault, explain, printMessage } from "./output.ts";
import { pages } from "./pages.ts";
import { projectNamed, withService } from "./service.ts";

/** `faultline projects ...` */
export function projectCommands(program: Command): void {
  const projects = program.command("projects").description("projects");

  projects
    .command("list")
    .description("list the projects the token may see")
    .option("--query <text>", "only those whose path or name contains it", "")
    .action(({ query }: { query: string }) =>
      withService(async (service) => {
        for await (const page of pages((pageToken) =>
          service.projects.listProjects({ query, pageSize: 100, pageToken }, service.call),
        )) {
          for (const project of page.projects) printMessage(ProjectSchema, project);
        }
      }),
    );

  projects
    .command("create <path>")
    .description("make a project")
    .option("--name <name>", "its display name; the last part of the path if not given", "")
    .option("--active", "turn error tracking on with the integrated backend, and show the settings with the DSN", false)
    .action((path: string, { name, active }: { name: string; active: boolean }) =>
      withService(async (service) => {
        const { project } = await service.projects.createProject({ path, name }, service.call);
        if (!project) return;
        if (!active) return printMessage(ProjectSchema, project);
        const { settings } = await service.settings
          .updateSettings({ projectId: project.projectId, active, backend: Backend.INTEGRATED }, service.call)
          .catch((error: unknown) => {
            printMessage(ProjectSchema, project);
            if (!(error instanceof CallError)) throw error;
            throw new CommandFault(
              `The project ${project.path} was made, but error tracking is not active in it. ${explain(error)} Do not make the project again: use faultline settings set ${project.path}.`,
            );
          });
        printMessage(ProjectSchema, await projectNamed(service, String(project.projectId))); // now it is active
        if (settings) printMessage(SettingsSchema, settings);
      }),
    );

  projects
    .command("show <project>")
    .description("show a project; <project> is a path or an id")
    .action((named: string) =>
      withService(async (service) => printMessage(ProjectSchema, await projectNamed(service, named))),
    );

  projects
    .command("delete <project>")
    .description("delete a project; an administrator can restore it for seven days")
    .option(
      "--now",
      "for administrators: erase it now, so that its space comes back; <project> may be deleted already",
      false,
    )
    .action((named: string, { now }: { now: boolean }) =>
      withService(async (service) => {
        const { projects: deleted } = now
          ? await service.projects.listDeletedProjects({}, service.call)
          : { projects: [] };
        const before = deleted.find(({ projectId, path }) => String(projectId) === named || path === named);
        const projectId = before?.projectId ?? (await projectNamed(service, named)).projectId;
        if (!before) {
          const { project } = await service.projects.deleteProject({ projectId }, service.call);
          if (project && !now) printMessage(ProjectSchema, project);
        }
        if (!now) return;
        const { project } = await service.projects.removeDeletedProject({ projectId }, service.call);
        if (project) printMessage(ProjectSchema, project);
      }),
    );
}
