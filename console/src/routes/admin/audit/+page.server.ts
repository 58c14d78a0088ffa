import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { PageServerLoad } from "./$types";

/** The address contains ids. Typed names are looked up, and lead to an address with their ids. */
export const load: PageServerLoad = async ({ url, locals: { api }, parent }) => {
  await parent();
  const typed = {
    user: url.searchParams.get("user")?.trim() ?? "",
    project: url.searchParams.get("project")?.trim() ?? "",
  };
  let userId = idOf(url, "user_id");
  let projectId = idOf(url, "project_id");
  const missing = { user: "", project: "" };
  if (typed.user !== "") {
    userId = await userIdOf(api, typed.user);
    if (userId === 0) missing.user = `No user is called ${typed.user}.`;
  }
  if (typed.project !== "") {
    projectId =
      (await found(api.projects.getProject({ path: typed.project }), "PROJECT_NOT_FOUND"))?.project?.projectId ?? 0;
    if (projectId === 0) missing.project = `No project has the path ${typed.project}.`;
  }
  if (missing.user !== "" || missing.project !== "") {
    return { shown: typed, userId, projectId, missing, auditEvents: [], nextPageToken: "" };
  }
  if (url.searchParams.has("user") || url.searchParams.has("project")) {
    redirect(303, route.adminAudit({ userId: userId || undefined, projectId: projectId || undefined }));
  }

  const pageToken = url.searchParams.get("cursor") ?? "";
  const [list, user, project] = await Promise.all([
    api.audit.listAuditEvents({ userId, projectId, pageSize: 50, pageToken }),
    userId === 0 ? "" : usernameOf(api, userId),
    projectId === 0 ? "" : projectPathOf(api, projectId),
  ]);
  const [first] = list.auditEvents;
  return {
    ...list,
    userId,
    projectId,
    missing,
    // Acts still name deleted users and projects.
    shown: {
      user: user || (userId === 0 ? "" : (first?.username ?? "")),
      project: project || (projectId === 0 ? "" : (first?.projectPath ?? "")),
    },
  };
};

function idOf(url: URL, name: string): number {
  const text = url.searchParams.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

const userIdOf = async (api: Api, username: string) =>
  (await api.users.listUsers({ username, pageSize: 1 })).users[0]?.userId ?? 0;

const usernameOf = async (api: Api, userId: number) =>
  (await found(api.users.getUser({ userId }), "USER_NOT_FOUND"))?.user?.username ?? "";

const projectPathOf = async (api: Api, projectId: number) =>
  (await found(api.projects.getProject({ projectId }), "PROJECT_NOT_FOUND"))?.project?.path ?? "";

/** The answer of a call; null if its subject does not exist. */
async function found<T>(call: Promise<T>, notFound: string): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (refusalOfTrpc(error).reason === notFound) return null;
    throw error;
  }
}
