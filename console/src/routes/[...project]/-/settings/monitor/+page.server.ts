import { fail } from "@sveltejs/kit";
import type { ExternalProjectJson, UpdateSettingsRequestJson } from "@faultline/proto";
import type { Quota, Settings } from "#lib/messages.ts";
import { action } from "#lib/server/action.ts";
import { saveLimits } from "#lib/server/save-limits.ts";
import { settingsNeed } from "#lib/server/settings-need.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";
import { connectionFailure } from "./connection-failure.ts";
import { isInUse, maskedKey } from "./shown-key.ts";

type SettingsValues = Omit<UpdateSettingsRequestJson, "projectId">;

/**
 * The backends by their values in the form. A retained integrated backend that can no longer be chosen has no value.
 */
const backends = new Map<string, "BACKEND_INTEGRATED" | "BACKEND_EXTERNAL">([
  ["integrated", "BACKEND_INTEGRATED"],
  ["external", "BACKEND_EXTERNAL"],
]);

/** The settings in the submitted form. Disabled fields, such as the fields of the other backend, keep their values. */
function readSettingsForm(form: FormData): SettingsValues {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const backend = backends.get(text("backend"));
  const external = backend === "BACKEND_EXTERNAL";
  const token = text("external_auth_token");
  const chosen = external ? externalProject(text("external_project")) : undefined;
  return {
    active: form.has("active"),
    ...(backend && { backend }),
    // 0 if nothing was saved when the page was read.
    ...(form.has("revision") ? { revision: Number(text("revision")) } : {}),
    ...(external && form.has("external_api_url") ? { externalApiUrl: text("external_api_url") } : {}),
    ...(external && token !== "" ? { externalAuthToken: token } : {}),
    ...(chosen === undefined ? {} : { externalProject: chosen }),
  };
}

/** The chosen project of the external system, as the JSON of its message; undefined if none was chosen. */
function externalProject(text: string): ExternalProjectJson | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as ExternalProjectJson; // the procedure refuses any other value
  } catch {
    return undefined; // our own page writes JSON; any other text chooses nothing
  }
}

/** More keys than a project can have. */
const allKeys = 100;

export const load: PageServerLoad = async ({ parent, locals, url, depends }) => {
  depends("console:client-keys");
  const { project, user } = await parent();
  settingsNeed(project, project.capabilities?.adminErrorTracking);
  const [settings, quota, keys] = await Promise.all([
    settingsOf(locals.api, project.projectId),
    quotaOf(locals.api, project.projectId),
    locals.api.clientKeys
      .listClientKeys({ projectId: project.projectId, pageSize: allKeys })
      .catch((error: unknown) => {
        // Without the integrated backend there are no keys to list; the section shows the reason.
        const { reason } = refusalOfTrpc(error);
        if (reason === "NOT_SUPPORTED_BY_BACKEND" || reason === "SETTINGS_NOT_FOUND") return null;
        throw error;
      }),
  ]);
  const keyNamed = (name: string) => Number(url.searchParams.get(name) ?? 0);
  return {
    // A DSN is a secret: the page gets it only after it is created or saved, and when it is copied.
    settings: settings && { ...settings, dsn: "" },
    quota,
    user,
    keys: keys?.clientKeys.map(maskedKey) ?? null,
    deleting: keyNamed("delete_key"),
    replacing: keyNamed("replace_key"),
  };
};

/** The stored settings; null if they were never saved. */
async function settingsOf(api: Api, projectId: number): Promise<Settings | null> {
  try {
    return (await api.settings.getSettings({ projectId })).settings ?? null;
  } catch (error) {
    if (refusalOfTrpc(error).reason === "SETTINGS_NOT_FOUND") return null;
    throw error;
  }
}

/** The limits of the project; undefined for people who may not read its errors. */
async function quotaOf(api: Api, projectId: number): Promise<Quota | undefined> {
  try {
    return (await api.quotas.getQuota({ projectId })).quota;
  } catch (error) {
    if (refusalOfTrpc(error).reason === "FORBIDDEN") return undefined;
    throw error;
  }
}

export const actions: Actions = {
  save: async ({ request, locals, params }) => {
    const values = readSettingsForm(await request.formData());
    const run = async () => {
      const { settings } = await locals.api.settings.updateSettings({ projectPath: params.project, ...values });
      return { act: "save" as const, settings: settings && { ...settings, dsn: "" }, dsn: settings?.dsn ?? "" };
    };
    const { externalAuthToken: _, ...kept } = values; // secrets are not sent back
    return action(run, ({ reason }) => ({ act: "save" as const, values: kept, reason }));
  },
  limits: async ({ request, locals, params }) =>
    saveLimits(await request.formData(), ({ resetDay, resetKept, ...limits }) =>
      locals.api.quotas.updateQuota({
        projectPath: params.project,
        ...limits,
        useDefaultDayLimit: resetDay,
        useDefaultKeptLimit: resetKept,
      }),
    ),
  /** For pages without scripts. Other pages use tRPC, and keep the typed token. */
  connect: async ({ request, locals, params }) => {
    const { externalAuthToken, ...kept } = readSettingsForm(await request.formData());
    const asked = { externalApiUrl: kept.externalApiUrl ?? "", externalAuthToken: externalAuthToken ?? "" };
    const run = async () => {
      const { externalProjects, warnings } = await locals.api.settings.listExternalProjects({
        projectPath: params.project,
        ...asked,
      });
      return { act: "connect" as const, values: kept, connected: { projects: externalProjects, warnings } };
    };
    return action(run, (refusal) => ({
      act: "connect" as const,
      values: kept,
      connected: { failure: connectionFailure(refusal) },
    }));
  },
  createKey: async ({ locals, params }) => {
    return action(
      async () => {
        const { clientKey } = await locals.api.clientKeys.createClientKey({ projectPath: params.project });
        const key = clientKey && maskedKey(clientKey);
        return { act: "create" as const, keyId: clientKey?.keyId ?? 0, dsn: clientKey?.dsn ?? "", key };
      },
      { act: "create" as const },
    );
  },
  deleteKey: async ({ request, locals, params }) => {
    const form = await request.formData();
    const keyId = Number(form.get("key_id"));
    return action(
      async () => {
        const { clientKeys } = await locals.api.clientKeys.listClientKeys({
          projectPath: params.project,
          pageSize: allKeys,
        });
        const key = clientKeys.find((one) => one.keyId === keyId);
        if (key && isInUse(maskedKey(key), Date.now()) && String(form.get("typed") ?? "").trim() !== String(keyId)) {
          return fail(400, { act: "delete" as const, mistyped: keyId, message: `Type ${keyId} to delete this key.` });
        }
        await locals.api.clientKeys.deleteClientKey({ projectPath: params.project, keyId });
        return { act: "delete" as const, keyId };
      },
      { act: "delete" as const },
    );
  },
};
