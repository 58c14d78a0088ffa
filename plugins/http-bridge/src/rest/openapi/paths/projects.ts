import { json, offsetPage } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage, query } from "../parameters.ts";
import { choice, ref, text } from "../schema.ts";

const name = text("The name that is shown.", { minLength: 1, maxLength: 255 });
const path = text("Its address: 1 to 5 parts of letters, digits, `_`, `.` and `-`, joined by `/`.", {
  maxLength: 255,
  pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,4}$",
  examples: ["acme/web"],
});

export const projectPaths = resource("Projects", {
  "/projects": {
    get: {
      id: "listProjects",
      summary: "List the projects the caller may see",
      needs: ["User", "read"],
      query: [
        query("search", text("Only those whose name or path contains this text.", { maxLength: 255 })),
        query("order_by", choice("The order.", ["path"])),
        query("sort", choice("Its direction.", ["asc"])),
        page,
        perPage,
      ],
      answers: { 200: offsetPage("The projects, by path.", "Project") },
    },
    post: {
      id: "createProject",
      summary: "Make a project",
      more: "The caller becomes its owner. Without a path it is made of the name; one of the two must be given. The installation may leave this to administrators; others own 100 projects at most.",
      needs: ["User", "write"],
      body: { fields: { name, path } },
      answers: { 201: json("The new project.", ref("Project")) },
    },
  },
  "/projects/{project}": {
    get: {
      id: "getProject",
      summary: "Read a project",
      needs: ["Guest", "read"],
      answers: { 200: json("The project.", ref("Project")) },
    },
    put: {
      id: "updateProject",
      summary: "Change a project",
      more: "What is not given stays as it is.",
      needs: ["Maintainer", "write"],
      body: {
        fields: {
          name,
          path,
          monitor_access_level: choice(
            "Turns the Monitor pages off or on; `private` turns them on, as `enabled` does.",
            ["disabled", "private", "enabled"],
          ),
          code_url: text(
            "Where a line of code is shown, with the placeholders `{path}` (required), `{line}` and `{revision}` " +
              "behind the host. Empty: frames and releases are not linked.",
            { maxLength: 255, examples: ["https://git.example.com/acme/web/-/blob/{revision}/{path}#L{line}"] },
          ),
          code_root: text(
            "What full paths of frames begin with in front of the path in the repository. Empty: relative paths alone " +
              "are linked.",
            { maxLength: 255, examples: ["/srv/app/"] },
          ),
        },
      },
      answers: { 200: json("The changed project.", ref("Project")) },
    },
    delete: {
      id: "deleteProject",
      summary: "Delete a project",
      more: "It can be restored for seven days.",
      needs: ["Owner", "write"],
      answers: { 202: json("It is deleted.", ref("Accepted")) },
    },
  },
  "/projects/{deleted_project}/remove": {
    post: {
      id: "removeDeletedProject",
      summary: "Remove a deleted project for good, now",
      more: "It can be restored no more, and its space comes back within the next minutes.",
      needs: ["Administrator", "write"],
      answers: { 202: json("It goes.", ref("Accepted")) },
    },
  },
  "/projects/{deleted_project}/restore": {
    post: {
      id: "restoreProject",
      summary: "Restore a deleted project",
      needs: ["Administrator", "write"],
      answers: { 201: json("The project.", ref("Project")) },
    },
  },
});
