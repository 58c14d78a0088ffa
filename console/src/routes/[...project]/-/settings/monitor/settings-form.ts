import type { ExternalProjectJson, UpdateSettingsRequestJson } from "@faultline/proto";

export type SettingsValues = Omit<UpdateSettingsRequestJson, "projectId">;

/** The settings as the form sent them. Fields of the other backend are not on the page, so they stay unchanged. */
export function readSettingsForm(form: FormData): SettingsValues {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const external = form.get("backend") === "external";
  const token = text("external_auth_token");
  const chosen = external ? externalProject(text("external_project")) : undefined;
  const revision = Number(form.get("revision") ?? 0);
  return {
    active: form.has("active"),
    backend: external ? "BACKEND_EXTERNAL" : "BACKEND_INTEGRATED",
    ...(revision > 0 ? { revision } : {}),
    ...(external ? { externalApiUrl: text("external_api_url") } : {}),
    ...(external && token !== "" ? { externalAuthToken: token } : {}),
    ...(chosen === undefined ? {} : { externalProject: chosen }),
  };
}

/** The project that was chosen from those of the external system, as its message's JSON; undefined for none. */
function externalProject(text: string): ExternalProjectJson | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as ExternalProjectJson; // the procedure refuses what is none
  } catch {
    return undefined; // our own page writes JSON; whoever else writes here chose nothing
  }
}
