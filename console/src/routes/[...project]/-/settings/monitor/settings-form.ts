import type { UpdateSettingsRequestJson } from "@faultline/proto";

export type SettingsValues = Omit<UpdateSettingsRequestJson, "projectId">;

/** The settings as the form sent them. Fields of the other backend are not on the page, so they stay unchanged. */
export function readSettingsForm(form: FormData): SettingsValues {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const external = form.get("backend") === "external";
  const token = text("external_auth_token");
  const slug = text("external_project");
  const revision = Number(form.get("revision") ?? 0);
  return {
    active: form.has("active"),
    backend: external ? "BACKEND_EXTERNAL" : "BACKEND_INTEGRATED",
    ...(revision > 0 ? { revision } : {}),
    ...(external ? { externalApiUrl: text("external_api_url") } : {}),
    ...(external && token !== "" ? { externalAuthToken: token } : {}),
    ...(external && slug !== "" ? { externalProject: externalProject(slug) } : {}),
  };
}

/** `organization/project`, as external systems write it in their addresses. */
function externalProject(text: string) {
  const [organizationSlug, slug] = text.includes("/") ? text.split("/", 2) : ["", text];
  return { slug: slug ?? "", organizationSlug: organizationSlug ?? "" };
}
