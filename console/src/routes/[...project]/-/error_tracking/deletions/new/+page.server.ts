import { error, fail, redirect } from "@sveltejs/kit";
import { refusal } from "#lib/failures/refusal.server.ts";
import { statusTabs } from "#lib/errors/list-choices.ts";
import { actionOrDown } from "#lib/server/action.ts";
import { route } from "#lib/navigation/route.ts";
import type { Actions, PageServerLoad } from "./$types";
import { readDeletionForm, readTarget } from "./deletion-form.ts";

export const load: PageServerLoad = async ({ parent, url, locals: { api } }) => {
  const { project } = await parent();
  const may = project.capabilities?.deleteErrors;
  if (may?.allowed === false) {
    const { status, message, reason } = refusal("FORBIDDEN", may.reason);
    error(status, message, { reason });
  }
  const { projectId } = project;
  const target = readTarget(url.searchParams);
  const [only] = target.errors;
  if (target.errors.length === 1 && only !== undefined) {
    const { error: named } = await api.errors.getError({ projectId, errorId: only });
    return { target, title: named?.title ?? "", count: 1, isAtLeast: false };
  }
  if (target.errors.length > 0) return { target, title: "", count: target.errors.length, isAtLeast: false };
  const asked = { projectId, query: target.q, status: statusTabs[target.status], pageSize: 1 };
  const { statusCounts } = await api.errors.listErrors(asked);
  const { unresolved = 0, resolved = 0, ignored = 0 } = statusCounts ?? {};
  const counts = { unresolved, resolved, ignored };
  const counted = target.status === "all" ? Object.values(counts) : [counts[target.status]];
  return {
    target,
    title: "",
    count: counted.reduce((sum, one) => sum + one, 0),
    isAtLeast: counted.some((one) => one >= 1000),
  };
};

export const actions: Actions = {
  default: async ({ request, locals: { api }, params }) => {
    const asked = readDeletionForm(await request.formData());
    if ("message" in asked) return fail(400, asked);
    const run = async () => {
      const { deletion } = await api.deletions.createDeletion({ projectPath: params.project, ...asked });
      const made = deletion?.undoEndTime === undefined ? undefined : deletion.deletionId;
      redirect(303, route.deletions(params.project, { made }));
    };
    return actionOrDown(run, { field: "" });
  },
};
