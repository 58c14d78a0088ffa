import {
  bodyOf,
  filledText,
  flag,
  flagParam,
  mapped,
  messageParam,
  single,
  operation,
  orNull,
  paramsOf,
  present,
  requestOf,
  required,
  revisionParam,
  shape,
  text,
  textParam,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  Backend,
  ExternalProjectSchema,
  ListExternalProjectsResponseSchema,
  SettingsSchema,
  SettingsService,
  type Settings,
} from "@faultline/proto";
import { withoutApiPath } from "../projects/external-project.ts";

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
const written = shape<Settings>("Settings", "The error-tracking settings of a project.", {
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
const settings = { ...written, message: SettingsSchema };

/** The address of the linked project in the external system; null if no project is linked. */
function linkedUrl({ externalApiUrl, externalProject: linked }: Settings, below: string): string | null {
  if (!linked || !externalApiUrl) return null;
  return `${externalApiUrl}/${below}${linked.organizationSlug}/${linked.slug}`;
}

const slug = { minLength: 1, maxLength: 255, pattern: "^[A-Za-z0-9_.~-]+$" };
const word = { maxLength: 255 };

const linkedProject = paramsOf(ExternalProjectSchema, {
  slug: filledText("Its name in addresses.", slug),
  organizationSlug: filledText("The organisation's name in addresses.", slug),
  name: textParam("Its name.", word),
  organizationName: textParam("The organisation.", word),
  id: textParam("Its id there; may be empty.", { maxLength: 20, pattern: "^[0-9]*$" }),
  status: false,
  organizationId: false,
});

const integrated = mapped(flagParam("Use the integrated backend; false: the external one."), (is) =>
  is ? Backend.INTEGRATED : Backend.EXTERNAL,
);

/**
 * The original only has `active` and `integrated` here. The other fields are on its settings page (gitlab.md 1.3): the
 * external system, and the revision that was read.
 */
const changes = (isIntegrated: Parameter<Backend | undefined>) =>
  paramsOf(method.updateSettings.input, {
    active: required(flagParam("Track errors.")),
    backend: { as: "integrated", ...isIntegrated },
    externalApiUrl: {
      as: "api_url",
      // The `api_url` of GET includes the external project, and clients may send it back.
      ...mapped(
        textParam(
          "Scheme and host of the external system. A change without `project` unlinks the stored project; another host also removes the token.",
          { ...word, examples: ["https://errors.example.com"] },
        ),
        withoutApiPath,
      ),
    },
    externalAuthToken: {
      as: "token",
      ...textParam(
        "The token for the external system, with the `api_url` or the `revision` that it is for. Empty removes it; asterisks stand for the stored one.",
        { maxLength: 1024 },
      ),
    },
    externalProject: {
      as: "project",
      ...messageParam(
        "The project of the external system to link. One that another project is linked to is refused with 409. Only in JSON.",
        linkedProject,
      ),
    },
    revision: revisionParam,
  });
const patched = changes(integrated);

const notOffered =
  "Where the integrated backend is not offered, a change that names it, or turns it active, is refused with 404 and the reason in `message`.";

export const getSettings = operation(method.getSettings, "GET /projects/:project/error_tracking/settings", {
  tag,
  summary: "Read the error-tracking settings",
  more: "404 where they were never saved.",
  answer: single(200, "The settings.", settings),
});

export const putSettings = operation(method.updateSettings, "PUT /projects/:project/error_tracking/settings", {
  id: "putSettings",
  tag,
  summary: "Make or change the settings",
  more: `Turning the integrated backend on makes a first client key. ${notOffered}`,
  params: changes(required(integrated)),
  answer: single(200, "The settings as stored.", settings),
  refuses: [409],
});

export const patchSettings = operation(method.updateSettings, "PATCH /projects/:project/error_tracking/settings", {
  id: "patchSettings",
  tag,
  summary: "Change the settings",
  more: `404 where they were never saved. ${notOffered}`,
  params: patched,
  answer: single(200, "The settings as stored.", settings),
  refuses: [409],
  async run({ host, call, project, params, invoke }) {
    await host.core.settings.getSettings({ projectId: project.id }, call); // refuses settings that were never saved
    return present((await invoke(requestOf(patched, params))).settings);
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
