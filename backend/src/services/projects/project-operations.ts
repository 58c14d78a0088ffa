import {
  badParameter,
  bodyOf,
  choice,
  choiceParam,
  constant,
  idInPath,
  inline,
  namedParam,
  numberedPage,
  single,
  operation,
  orEmpty,
  paramsOf,
  part,
  present,
  record,
  text,
  textParam,
  whole,
  type Schema,
} from "@faultline/plugin/rest";
import { ErrorReason, ProjectSchema, ProjectService, type Project } from "@faultline/proto";
import { accessLevel } from "../members/access-level.ts";

const tag = "Projects";
const { method } = ProjectService;

const permissions = inline<Project>("What the caller is here.", {
  project_access: part(inline<Project>("", { access_level: [accessLevel, ({ role }) => role] }), (project) => project),
  group_access: [{ type: "null", description: "There are no groups." }, () => null],
});

const project = bodyOf(
  ProjectSchema,
  {
    projectId: "id",
    monitorEnabled: false,
    capabilities: false,
    role: false,
    removalTime: false,
    codeUrl: null,
    codeRoot: null,
    backend: false,
  },
  {
    further: {
      path_with_namespace: [text("As `path`."), ({ path }) => path],
      monitor_access_level: [
        choice("Whether the Monitor pages are on.", ["enabled", "disabled"]),
        ({ monitorEnabled }) => (monitorEnabled ? "enabled" : "disabled"),
      ],
      permissions: part(permissions, (one) => one),
    },
  },
);

const deletedProject = bodyOf(
  ProjectSchema,
  {
    projectId: "id",
    path: "path_with_namespace",
    monitorEnabled: false,
    capabilities: false,
    role: false,
    codeUrl: false,
    codeRoot: false,
    backend: false,
  },
  { name: "DeletedProject", description: "A deleted project, which can be restored." },
);

const accepted: Schema = {
  component: {
    name: "Accepted",
    schema: record("The work continues after the response.", { message: text("`202 Accepted`.") }),
  },
};
const acceptedBody = { message: "202 Accepted" };

const name = textParam("The name that is shown.", { minLength: 1, maxLength: 255 });
const path = textParam("Its address: 1 to 5 parts of letters, digits, `_`, `.` and `-`, joined by `/`.", {
  maxLength: 255,
  pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,4}$",
  examples: ["acme/web"],
});
const deleted = {
  deleted_project: {
    ...idInPath("The id of a deleted project.", ErrorReason.DELETED_PROJECT_NOT_FOUND),
    field: "projectId",
  },
};

export const listProjects = operation(method.listProjects, "GET /projects", {
  tag,
  summary: "List the projects the caller may see",
  params: {
    ...paramsOf(method.listProjects.input, { query: { as: "search", maxLength: 255 } }),
    order_by: choiceParam("The order.", ["path"]),
    sort: choiceParam("Its direction.", ["asc"]),
  },
  answer: numberedPage("The projects, by path.", project),
});

export const createProject = operation(method.createProject, "POST /projects", {
  tag,
  summary: "Make a project",
  more: "The caller becomes its owner. Without a path it is made of the name; one of the two must be given. The installation may leave this to administrators; others own 100 projects at most.",
  params: { name: orEmpty(name), path },
  oneOf: [["path"], ["name"]],
  answer: single(201, "The new project.", project),
  async run({ params, invoke }) {
    const address = params.path ?? slug(params.name);
    if (address === "") throw badParameter("name, path", "is missing");
    return present((await invoke({ name: params.name, path: address })).project);
  },
});

export const getProject = operation(method.getProject, "GET /projects/:project", {
  tag,
  summary: "Read a project",
  answer: single(200, "The project.", project),
});

export const updateProject = operation(method.updateProject, "PUT /projects/:project", {
  tag,
  summary: "Change a project",
  more: "Omitted fields keep their values.",
  params: paramsOf(method.updateProject.input, {
    name,
    path,
    monitorEnabled: {
      as: "monitor_access_level",
      ...namedParam("Turns the Monitor pages off or on; `private` turns them on, as `enabled` does.", {
        disabled: false,
        private: true,
        enabled: true,
      }),
    },
    codeUrl: textParam(
      "Where a line of code is shown, with the placeholders `{path}` (required), `{line}` and `{revision}` " +
        "behind the host. Empty: frames and releases are not linked.",
      { maxLength: 255, examples: ["https://git.example.com/acme/web/-/blob/{revision}/{path}#L{line}"] },
    ),
    codeRoot: textParam(
      "What full paths of frames begin with in front of the path in the repository. Empty: relative paths alone " +
        "are linked.",
      { maxLength: 255, examples: ["/srv/app/"] },
    ),
  }),
  answer: single(200, "The changed project.", project),
});

export const deleteProject = operation(method.deleteProject, "DELETE /projects/:project", {
  tag,
  summary: "Delete a project",
  more: "It can be restored for seven days.",
  answer: constant(202, "It is deleted.", accepted, acceptedBody),
});

export const listDeletedProjects = operation(method.listDeletedProjects, "GET /deleted_projects", {
  tag,
  summary: "List the deleted projects that can be restored",
  answer: whole("The projects, the first to go for good first.", deletedProject),
});

export const removeDeletedProject = operation(method.removeDeletedProject, "POST /projects/:deleted_project/remove", {
  tag,
  summary: "Remove a deleted project for good, now",
  more: "It can be restored no more, and its space comes back within the next minutes.",
  path: deleted,
  answer: constant(202, "It goes.", accepted, acceptedBody),
});

export const restoreProject = operation(method.restoreProject, "POST /projects/:deleted_project/restore", {
  tag,
  summary: "Restore a deleted project",
  path: deleted,
  answer: single(201, "The project.", project),
});

/** Makes a path from a name: letters, digits and hyphens. */
function slug(of: string): string {
  return of
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
