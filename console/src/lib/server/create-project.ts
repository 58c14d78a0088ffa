import { suggestedPath } from "#lib/project-path.ts";
import { refusedCall } from "./action.ts";
import type { Api } from "./trpc/caller.ts";

/** Creates the project of NewProject.svelte's form; returns it, or the refusal that the form shows. */
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
