import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Backend,
  GetSettingsRequestSchema,
  UpdateSettingsRequestSchema,
  type ExternalProject,
  type ExternalProjectSchema,
  type Settings,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import {
  booleanParam,
  objectParam,
  requiredBoolean,
  requiredText,
  revisionParam,
  textParam,
  type Params,
} from "../params.ts";
import type { Operation, RestCall } from "../rest.ts";

export const getSettings: Operation = async (restCall) => ({
  status: 200,
  body: settingsBody(await read(restCall)),
});

/** Changes settings that exist; `active` is required. */
export const patchSettings: Operation = async (restCall) => {
  const active = requiredBoolean(restCall.params, "active");
  const integrated = booleanParam(restCall.params, "integrated");
  const others = otherChanges(restCall.params);
  await read(restCall); // refuses where they were never saved
  return { status: 200, body: settingsBody(await save(restCall, { active, ...backend(integrated), ...others })) };
};

/** Makes or changes settings; `active` and `integrated` are required. */
export const putSettings: Operation = async (restCall) => {
  const active = requiredBoolean(restCall.params, "active");
  const integrated = requiredBoolean(restCall.params, "integrated");
  const others = otherChanges(restCall.params);
  return { status: 200, body: settingsBody(await save(restCall, { active, ...backend(integrated), ...others })) };
};

async function read(restCall: RestCall): Promise<Settings> {
  const { visit, call } = restCall;
  const request = create(GetSettingsRequestSchema, { projectId: projectOf(restCall).projectId });
  const { settings } = await visit.host.core.settings.getSettings(request, call);
  return settings as Settings; // the guarded core answers whole messages
}

type Changes = Omit<MessageInitShape<typeof UpdateSettingsRequestSchema>, "$typeName" | "$unknown">;

async function save(restCall: RestCall, changes: Changes): Promise<Settings> {
  const { visit, call } = restCall;
  const request = create(UpdateSettingsRequestSchema, { projectId: projectOf(restCall).projectId, ...changes });
  const { settings } = await visit.host.core.settings.updateSettings(request, call);
  return settings as Settings;
}

function backend(integrated: boolean | undefined): Changes {
  if (integrated === undefined) return {};
  return { backend: integrated ? Backend.INTEGRATED : Backend.EXTERNAL };
}

/** What the original keeps to its settings page (gitlab.md 1.3): the external system, and the revision that was read. */
function otherChanges(params: Params): Changes {
  const apiUrl = textParam(params, "api_url");
  const token = textParam(params, "token");
  const project = objectParam(params, "project");
  const revision = revisionParam(params);
  return {
    // What GET answers as `api_url` names the external project as well, and may be sent back.
    ...(apiUrl !== undefined && { externalApiUrl: apiUrl.replace(/\/api\/0\/projects(\/.*)?$/s, "") }),
    ...(token !== undefined && { externalAuthToken: token }),
    ...(project !== undefined && { externalProject: externalProject(project) }),
    ...(revision !== undefined && { revision }),
  };
}

function externalProject(params: Params): MessageInitShape<typeof ExternalProjectSchema> {
  return {
    slug: requiredText(params, "slug"),
    organizationSlug: requiredText(params, "organization_slug"),
    name: textParam(params, "name") ?? "",
    organizationName: textParam(params, "organization_name") ?? "",
    id: textParam(params, "id") ?? "",
  };
}

/** The five fields of the original (gitlab.md 1.3), then ours. The token is never among them. */
function settingsBody(settings: Settings): object {
  const { active, backend: chosen, externalApiUrl, externalProject: linked } = settings;
  const project = linked ? `${linked.organizationSlug}/${linked.slug}` : null;
  return {
    active,
    project_name: linked ? linked.name || linked.slug : null,
    sentry_external_url: project && externalApiUrl ? `${externalApiUrl}/${project}` : null,
    api_url: project && externalApiUrl ? `${externalApiUrl}/api/0/projects/${project}` : null,
    integrated: chosen === Backend.INTEGRATED,
    backend: chosen === Backend.INTEGRATED ? "integrated" : "external",
    external_api_url: externalApiUrl || null,
    has_token: settings.hasExternalAuthToken,
    external_project: linked ? externalProjectBody(linked) : null,
    dsn: settings.dsn || null,
    dsn_unavailable_reason: settings.dsnUnavailableReason || null,
    revision: settings.revision,
    updated_at: isoTime(settings.updatedTime),
  };
}

function externalProjectBody({ id, slug, name, organizationSlug, organizationName }: ExternalProject): object {
  return { id, slug, name, organization_slug: organizationSlug, organization_name: organizationName };
}
