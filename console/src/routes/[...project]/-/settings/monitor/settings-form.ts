import type { ExternalProjectJson, UpdateSettingsRequestJson } from "@faultline/proto";

export type SettingsValues = Omit<UpdateSettingsRequestJson, "projectId">;

/** The backends by their values in the form. An integrated backend that is kept, and cannot be chosen, has no value. */
const backends = new Map<string, "BACKEND_INTEGRATED" | "BACKEND_EXTERNAL">([
  ["integrated", "BACKEND_INTEGRATED"],
  ["external", "BACKEND_EXTERNAL"],
]);

/** The settings as the form sent them. Fields that are off, as those of the other backend, stay unchanged. */
export function readSettingsForm(form: FormData): SettingsValues {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const backend = backends.get(text("backend"));
  const external = backend === "BACKEND_EXTERNAL";
  const token = text("external_auth_token");
  const chosen = external ? externalProject(text("external_project")) : undefined;
  return {
    active: form.has("active"),
    ...(backend && { backend }),
    // 0 where nothing was saved when the page was read.
    ...(form.has("revision") ? { revision: Number(text("revision")) } : {}),
    ...(external && form.has("external_api_url") ? { externalApiUrl: text("external_api_url") } : {}),
    ...(external && token !== "" ? { externalAuthToken: token } : {}),
    ...(chosen === undefined ? {} : { externalProject: chosen }),
  };
}

/** The project that was chosen from those of the external system, as its message's JSON; undefined for none. */
function externalProject(text: string): ExternalProjectJson | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as ExternalProjectJson; // the procedure refuses any other value
  } catch {
    return undefined; // our own page writes JSON; any other text chooses nothing
  }
}
