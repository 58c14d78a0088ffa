import { create } from "@bufbuild/protobuf";
import {
  Backend,
  GetSettingsRequestSchema,
  UpdateSettingsRequestSchema,
  type Settings,
  type UpdateSettingsRequest,
} from "@faultline/proto";
import { booleanParam, requiredBoolean } from "./params.ts";
import { projectOf } from "./projects.ts";
import type { Operation, RestCall } from "./rest.ts";

export const getSettings: Operation = async (restCall) => {
  const { projectId } = projectOf(restCall);
  return { status: 200, body: settingsBody(await read(restCall, projectId)) };
};

/** Changes settings that exist; `active` is required. */
export const patchSettings: Operation = async (restCall) => {
  const { projectId } = projectOf(restCall);
  const active = requiredBoolean(restCall.params, "active");
  const integrated = booleanParam(restCall.params, "integrated");
  await read(restCall, projectId); // refuses where they were never saved
  return { status: 200, body: settingsBody(await save(restCall, projectId, { active, integrated })) };
};

/** Makes or changes settings; both parameters are required. */
export const putSettings: Operation = async (restCall) => {
  const { projectId } = projectOf(restCall);
  const active = requiredBoolean(restCall.params, "active");
  const integrated = requiredBoolean(restCall.params, "integrated");
  return { status: 200, body: settingsBody(await save(restCall, projectId, { active, integrated })) };
};

async function read({ visit, call }: RestCall, projectId: number): Promise<Settings> {
  const { settings } = await visit.host.core.settings.getSettings(
    create(GetSettingsRequestSchema, { projectId }),
    call,
  );
  return settings as Settings; // the guarded core answers whole messages
}

async function save(
  { visit, call }: RestCall,
  projectId: number,
  { active, integrated }: { active: boolean; integrated: boolean | undefined },
): Promise<Settings> {
  const request: UpdateSettingsRequest = create(UpdateSettingsRequestSchema, {
    projectId,
    active,
    ...(integrated !== undefined && { backend: integrated ? Backend.INTEGRATED : Backend.EXTERNAL }),
  });
  const { settings } = await visit.host.core.settings.updateSettings(request, call);
  return settings as Settings;
}

/** The five fields of the original (gitlab.md 1.3). The token is never among them. */
function settingsBody(settings: Settings): object {
  const { active, backend, externalApiUrl, externalProject } = settings;
  const project = externalProject ? `${externalProject.organizationSlug}/${externalProject.slug}` : null;
  return {
    active,
    project_name: externalProject ? externalProject.name || externalProject.slug : null,
    sentry_external_url: project && externalApiUrl ? `${externalApiUrl}/${project}` : null,
    api_url: project && externalApiUrl ? `${externalApiUrl}/api/0/projects/${project}` : null,
    integrated: backend === Backend.INTEGRATED,
  };
}
