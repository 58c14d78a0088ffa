import { oneOf } from "#lib/preferences/preferences.ts";
import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

const targets = ["keep", "project", "dsn", "none"] as const;

export const load: PageServerLoad = async ({ locals: { api } }) => {
  const [{ ownErrorReporting: reporting }, { projects }] = await Promise.all([
    api.instance.getOwnErrorReporting({}),
    api.projects.listProjects({ pageSize: 100 }),
  ]);
  if (reporting === undefined) throw new Error("The core returned nothing about its own error reporting.");
  const offered = projects
    .filter(({ capabilities }) => capabilities?.clientKeys?.allowed === true)
    .map(({ projectId, path }) => ({ projectId, path }));
  const { suggestedProjectId, suggestedProjectPath } = reporting;
  const suggested = { projectId: suggestedProjectId, path: suggestedProjectPath };
  return {
    reporting,
    /**
     * Why no project of this installation can be chosen, regardless of its settings. Empty if projects can be chosen.
     */
    notOffered: projects.find(({ capabilities }) => capabilities?.integratedBackend?.allowed === false)?.capabilities
      ?.integratedBackend?.reason,
    projects:
      suggestedProjectId === 0
        ? offered
        : [suggested, ...offered.filter(({ projectId }) => projectId !== suggestedProjectId)],
  };
};

export const actions: Actions = {
  default: async ({ request, locals }) => {
    const form = await request.formData();
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const target = oneOf(targets, form.get("target"));
    const projectId = Number(form.get("project_id"));
    const values = {
      enabled: form.has("enabled"),
      environment: text("environment"),
      externalVersion: text("external_version"),
    };
    const run = async () => {
      await locals.api.instance.updateOwnErrorReporting({
        ...values,
        ...(target === "project" ? { projectId } : {}),
        ...(target === "dsn" ? { dsn: text("dsn") } : {}),
        ...(target === "none" ? { dsn: "" } : {}),
      });
      return { saved: true as const };
    };
    // A DSN is a secret and is not sent back.
    return action(run, ({ reason, field }) => ({
      saved: false as const,
      ...values,
      target,
      projectId,
      field: field === "" && reason === "EXTERNAL_VERSION_UNSUPPORTED" ? "external_version" : field,
    }));
  },
};
