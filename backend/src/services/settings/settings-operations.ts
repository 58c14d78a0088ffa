import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  choice,
  count,
  filledText,
  flag,
  flagParam,
  isoTime,
  objectParam,
  single,
  operation,
  orEmpty,
  orNull,
  partOrNull,
  present,
  required,
  revisionParam,
  shape,
  text,
  textParam,
  time,
  type Values,
} from "@faultline/plugin/rest";
import {
  Backend,
  SettingsService,
  type ExternalProject,
  type Settings,
  type UpdateSettingsRequestSchema,
} from "@faultline/proto";
import { withoutApiPath } from "./external-api-url.ts";
import { hiddenKey } from "../client-keys/client-key-operations.ts";

const tag = "Settings";
const { method } = SettingsService;

const externalProject = shape<ExternalProject>("ExternalProject", "A project of the external system.", {
  id: [text("Its id there; may be empty."), ({ id }) => id],
  slug: [text("Its name in addresses."), ({ slug }) => slug],
  name: [text("Its name; may be empty."), ({ name }) => name],
  organization_slug: [text("The organisation's name in addresses."), ({ organizationSlug }) => organizationSlug],
  organization_name: [text("The organisation; may be empty."), ({ organizationName }) => organizationName],
});

/** The five fields of the original (gitlab.md 1.3), then ours. The token is never returned. */
const settings = shape<Settings>("Settings", "The error-tracking settings of a project.", {
  active: [flag("Errors are tracked."), ({ active }) => active],
  project_name: [
    orNull(text("The linked external project.")),
    ({ externalProject: linked }) => (linked ? linked.name || linked.slug : null),
  ],
  sentry_external_url: [orNull(text("Its page in the external system.")), (saved) => linkedUrl(saved, "")],
  api_url: [orNull(text("Its address in the external system's API.")), (saved) => linkedUrl(saved, "api/0/projects/")],
  integrated: [flag("The backend is the integrated one."), ({ backend }) => backend === Backend.INTEGRATED],
  backend: [
    choice("The backend.", ["integrated", "external"]),
    ({ backend }) => (backend === Backend.INTEGRATED ? "integrated" : "external"),
  ],
  external_api_url: [
    orNull(text("Scheme and host of the external system.")),
    ({ externalApiUrl }) => externalApiUrl || null,
  ],
  has_token: [
    flag("A token for the external system is stored. It is never answered."),
    ({ hasExternalAuthToken }) => hasExternalAuthToken,
  ],
  external_project: partOrNull(externalProject, (saved) => saved.externalProject),
  dsn: [
    orNull(text(`The DSN of the newest client key; null with the external backend, or without a key. ${hiddenKey}`)),
    ({ dsn }) => dsn || null,
  ],
  dsn_unavailable_reason: [
    orNull(text("Why there is no DSN, where the integrated backend is set and not offered here; otherwise null.")),
    ({ dsnUnavailableReason }) => dsnUnavailableReason || null,
  ],
  revision: [
    count("Grows with each change; send it back to be refused when somebody else saved meanwhile."),
    ({ revision }) => revision,
  ],
  updated_at: [orNull(time("When they were last saved.")), ({ updatedTime }) => isoTime(updatedTime)],
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
