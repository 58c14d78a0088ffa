import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  bodyOf,
  filledText,
  flag,
  flagParam,
  objectParam,
  single,
  operation,
  orEmpty,
  orNull,
  paramsOf,
  present,
  required,
  revisionParam,
  shape,
  text,
  textParam,
  type Values,
} from "@faultline/plugin/rest";
import {
  Backend,
  ExternalProjectSchema,
  ListExternalProjectsResponseSchema,
  SettingsSchema,
  SettingsService,
  type Settings,
  type UpdateSettingsRequestSchema,
} from "@faultline/proto";
import { withoutApiPath } from "./external-api-url.ts";

const tag = "Settings";
const { method } = SettingsService;

const externalProject = bodyOf(ExternalProjectSchema, { status: false, organizationId: false });

const { fields } = bodyOf(SettingsSchema, {
  projectId: false,
  externalApiUrl: null,
  hasExternalAuthToken: "has_token",
  externalProject: { of: externalProject, orNull: true },
  dsn: null,
  updatedTime: null,
  dsnUnavailableReason: null,
});

/** The five fields of the original in its order (gitlab.md 1.3), then ours. The token is never returned. */
const settings = shape<Settings>("Settings", "The error-tracking settings of a project.", {
  active: present(fields["active"]),
  project_name: [
    orNull(text("The linked external project.")),
    ({ externalProject: linked }) => (linked ? linked.name || linked.slug : null),
  ],
  sentry_external_url: [orNull(text("Its page in the external system.")), (saved) => linkedUrl(saved, "")],
  api_url: [orNull(text("Its address in the external system's API.")), (saved) => linkedUrl(saved, "api/0/projects/")],
  integrated: [flag("The backend is the integrated one."), ({ backend }) => backend === Backend.INTEGRATED],
  ...fields,
});

/** The address of the linked project in the external system; null without one. */
function linkedUrl({ externalApiUrl, externalProject: linked }: Settings, below: string): string | null {
  if (!linked || !externalApiUrl) return null;
  return `${externalApiUrl}/${below}${linked.organizationSlug}/${linked.slug}`;
}

const slug = { minLength: 1, maxLength: 255, pattern: "^[A-Za-z0-9_.~-]+$" };
const word = { maxLength: 255 };

const active = required(flagParam("Track errors."));
const integrated = flagParam("Use the integrated backend; false: the external one.");

/**
 * Fields that the original has on its settings page alone (gitlab.md 1.3): the external system, and the revision that
 * was read.
 */
const others = {
  api_url: textParam(
    "Scheme and host of the external system. Without a project beside it, a change unlinks the stored one; another host removes the token, too.",
    { ...word, examples: ["https://errors.example.com"] },
  ),
  token: textParam(
    "The token for the external system, with the `api_url` or the `revision` that it is for. Empty removes it; asterisks stand for the stored one.",
    { maxLength: 1024 },
  ),
  project: objectParam(
    "The project of the external system to link. One that another project is linked to is refused with 409. Only in JSON.",
    {
      slug: filledText("Its name in addresses.", slug),
      organization_slug: filledText("The organisation's name in addresses.", slug),
      name: orEmpty(textParam("Its name.", word)),
      organization_name: orEmpty(textParam("The organisation.", word)),
      id: orEmpty(textParam("Its id there; may be empty.", { maxLength: 20, pattern: "^[0-9]*$" })),
    },
  ),
  revision: revisionParam,
};

const notOffered =
  "Where the integrated backend is not offered, a change that names it, or turns it active, is refused with 404 and the reason in `message`.";

export const getSettings = operation(method.getSettings, "GET /projects/:project/error_tracking/settings", {
  tag,
  summary: "Read the error-tracking settings",
  more: "404 where they were never saved.",
  answer: single(200, "The settings.", settings),
  run: async ({ invoke }) => present((await invoke({})).settings),
});

export const putSettings = operation(method.updateSettings, "PUT /projects/:project/error_tracking/settings", {
  id: "putSettings",
  tag,
  summary: "Make or change the settings",
  more: `Turning the integrated backend on makes a first client key. ${notOffered}`,
  params: { active, integrated: required(integrated), ...others },
  answer: single(200, "The settings as stored.", settings),
  refuses: [409],
  run: async ({ params, invoke }) => present((await invoke(changesOf(params))).settings),
});

export const patchSettings = operation(method.updateSettings, "PATCH /projects/:project/error_tracking/settings", {
  id: "patchSettings",
  tag,
  summary: "Change the settings",
  more: `404 where they were never saved. ${notOffered}`,
  params: { active, integrated, ...others },
  answer: single(200, "The settings as stored.", settings),
  refuses: [409],
  async run({ host, call, project, params, invoke }) {
    await host.core.settings.getSettings({ projectId: project.id }, call); // refuses settings that were never saved
    return present((await invoke(changesOf(params))).settings);
  },
});

export const listExternalProjects = operation(
  method.listExternalProjects,
  "POST /projects/:project/error_tracking/external_projects",
  {
    tag,
    summary: "Test the connection to an external system and list its projects",
    more: "It is a `POST` because its body holds a token, which must not stand in an address. Nothing is changed.",
    params: paramsOf(method.listExternalProjects.input, {
      externalApiUrl: { as: "api_url", ...word, examples: ["https://errors.example.com"] },
      externalAuthToken: { as: "token", maxLength: 1024 },
    }),
    answer: single(
      200,
      "The projects.",
      bodyOf(
        ListExternalProjectsResponseSchema,
        { externalProjects: { as: "projects", of: externalProject } },
        { name: "ExternalProjects" },
      ),
    ),
    refuses: [404],
  },
);

type Changes = Omit<MessageInitShape<typeof UpdateSettingsRequestSchema>, "$typeName" | "$unknown">;

function changesOf(
  params: Values<typeof others> & { readonly active: boolean; readonly integrated: boolean | undefined },
): Changes {
  const { active: isActive, integrated: isIntegrated, api_url: apiUrl, token, project, revision } = params;
  return {
    active: isActive,
    ...(isIntegrated !== undefined && { backend: isIntegrated ? Backend.INTEGRATED : Backend.EXTERNAL }),
    // The `api_url` of GET includes the external project, and clients may send it back.
    externalApiUrl: apiUrl && withoutApiPath(apiUrl),
    externalAuthToken: token,
    ...(project && {
      externalProject: {
        slug: project.slug,
        organizationSlug: project.organization_slug,
        name: project.name,
        organizationName: project.organization_name,
        id: project.id,
      },
    }),
    revision,
  };
}
