import { fail } from "@sveltejs/kit";
import type { Settings } from "#lib/messages.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";
import { readSettingsForm } from "./settings-form.ts";

export const load: PageServerLoad = async ({ parent, locals, url }) => {
  const { project } = await parent();
  const [settings, keys] = await Promise.all([
    settingsOf(locals.api, project.projectId),
    locals.api.clientKeys.list({ projectId: project.projectId, pageSize: 100 }).catch((error: unknown) => {
      // Without the integrated backend there are no keys to list; the section says why.
      const { reason } = refusalOfTrpc(error);
      if (reason === "NOT_SUPPORTED_BY_BACKEND" || reason === "SETTINGS_NOT_FOUND") return null;
      throw error;
    }),
  ]);
  return { settings, keys: keys?.clientKeys ?? null, deleting: Number(url.searchParams.get("delete_key") ?? 0) };
};

/** The stored settings; null while they were never saved. */
async function settingsOf(api: Api, projectId: number): Promise<Settings | null> {
  try {
    return (await api.settings.get({ projectId })).settings ?? null;
  } catch (error) {
    if (refusalOfTrpc(error).reason === "SETTINGS_NOT_FOUND") return null;
    throw error;
  }
}

async function projectIdOf(api: Api, path: string): Promise<number> {
  return (await api.projects.get({ path })).project?.projectId ?? 0;
}

/** Answers a refused action in the form; failures of the service reach the error page. */
function refused(error: unknown) {
  const refusal = refusalOfTrpc(error);
  if (refusal.status >= 500) throw error;
  return refusal;
}

export const actions: Actions = {
  save: async ({ request, locals, params }) => {
    const values = readSettingsForm(await request.formData());
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      await locals.api.settings.update({ projectId, ...values });
    } catch (error) {
      const { status, message, field, reason } = refused(error);
      const { externalAuthToken: _, ...kept } = values; // a secret does not travel back
      return fail(status, { act: "save" as const, values: kept, message, field, reason });
    }
    return { act: "save" as const };
  },
  createKey: async ({ locals, params }) => {
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      const { clientKey } = await locals.api.clientKeys.create({ projectId });
      return { act: "create" as const, keyId: clientKey?.keyId ?? 0 };
    } catch (error) {
      const { status, message } = refused(error);
      return fail(status, { act: "create" as const, message });
    }
  },
  deleteKey: async ({ request, locals, params }) => {
    const keyId = Number((await request.formData()).get("key_id"));
    try {
      const projectId = await projectIdOf(locals.api, params.project);
      await locals.api.clientKeys.delete({ projectId, keyId });
      return { act: "delete" as const, keyId };
    } catch (error) {
      const { status, message } = refused(error);
      return fail(status, { act: "delete" as const, message });
    }
  },
};
