import { fail } from "@sveltejs/kit";
import { createProject } from "#lib/server/create-project.ts";
import { action } from "#lib/server/action.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";

const pageSize = 50;

export const load: PageServerLoad = async ({ url, locals: { api } }) => {
  const query = url.searchParams.get("q") ?? "";
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [page, deleted, doomed] = await Promise.all([
    api.projects.listProjects({ query, pageSize, pageToken }),
    api.projects.listDeletedProjects({}),
    projectOrNull(api, Number(url.searchParams.get("remove"))),
  ]);
  const erased = deleted.projects.find(({ projectId }) => projectId === Number(url.searchParams.get("erase"))) ?? null;
  return { query, ...page, deleted: deleted.projects, doomed, erased };
};

async function projectOrNull(api: Api, projectId: number) {
  if (!Number.isSafeInteger(projectId) || projectId < 1) return null;
  try {
    return (await api.projects.getProject({ projectId })).project ?? null;
  } catch (error) {
    if (refusalOfTrpc(error).reason === "PROJECT_NOT_FOUND") return null;
    throw error;
  }
}

export const actions: Actions = {
  create: async ({ request, locals }) => {
    const { project, refused } = await createProject(await request.formData(), locals.api);
    if (refused) return fail(refused.status, { act: "create" as const, refused });
    return { act: "create" as const, path: project?.path ?? "" };
  },
  delete: async ({ request, locals: { api } }) => {
    const form = await request.formData();
    const projectId = Number(form.get("id"));
    return action(
      async () => {
        const { project } = await api.projects.getProject({ projectId });
        if (project?.path !== String(form.get("typed") ?? "").trim()) {
          return fail(400, { act: "delete" as const, message: `This is not ${project?.path}. Nothing was deleted.` });
        }
        await api.projects.deleteProject({ projectId });
        return { act: "delete" as const, path: project.path };
      },
      { act: "delete" as const },
    );
  },
  restore: async ({ request, locals: { api } }) => {
    const projectId = Number((await request.formData()).get("id"));
    const run = async () => {
      const { project } = await api.projects.restoreProject({ projectId });
      return { act: "restore" as const, path: project?.path ?? "" };
    };
    const taken = "Another project now has this path. Change that path, then restore this project.";
    return action(run, ({ reason, message }) => ({
      act: "restore" as const,
      message: reason === "PROJECT_PATH_TAKEN" ? taken : message,
    }));
  },
  erase: async ({ request, locals: { api } }) => {
    const form = await request.formData();
    const projectId = Number(form.get("id"));
    return action(
      async () => {
        const { projects } = await api.projects.listDeletedProjects({});
        const path = projects.find((project) => project.projectId === projectId)?.path;
        if (path !== undefined && path !== String(form.get("typed") ?? "").trim()) {
          return fail(400, { act: "erase" as const, message: `This is not ${path}. Nothing was erased.` });
        }
        await api.projects.removeDeletedProject({ projectId });
        return { act: "erase" as const, path: path ?? "" };
      },
      { act: "erase" as const },
    );
  },
};
