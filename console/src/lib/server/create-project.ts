import { suggestedPath } from "#lib/project-path.ts";
import { refusedCall } from "./action.ts";
import type { Api } from "./trpc/caller.ts";

/** Creates the project in NewProject.svelte's form. Returns the project, or the refusal for the form. */
export async function createProject(form: FormData, api: Api) {
  const name = String(form.get("name") ?? "").trim();
  const path = String(form.get("path") ?? "").trim() || suggestedPath(name);
  try {
    const { project } = await api.projects.createProject({ name, path });
    return { project };
  } catch (error) {
    const { reason, status, message, field } = refusedCall(error);
    return { refused: { name, path, status, message, field: reason === "PROJECT_PATH_TAKEN" ? "path" : field } };
  }
}
