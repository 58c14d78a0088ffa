import { invalidField } from "@faultline/plugin";
import type { ExternalProject } from "@faultline/proto";
import type { SettingsRow } from "./settings.ts";

/** The columns that link an external project. */
export type ExternalProjectColumns = Pick<
  SettingsRow,
  | "externalProjectId"
  | "externalProjectSlug"
  | "externalProjectName"
  | "externalOrganizationSlug"
  | "externalOrganizationName"
>;

export const noExternalProject: ExternalProjectColumns = {
  externalProjectId: "",
  externalProjectSlug: "",
  externalProjectName: "",
  externalOrganizationSlug: "",
  externalOrganizationName: "",
};

/**
 * The external project as it is stored; without id and slugs there is none. Id and slugs become parts of request
 * addresses, so values that could lead elsewhere are refused with INVALID_FIELD.
 */
export function externalProjectColumns(project: ExternalProject): ExternalProjectColumns {
  const { id, slug, name, organizationSlug, organizationName } = project;
  if (id === "" && slug === "" && organizationSlug === "") return noExternalProject;
  if (!/^\d{0,20}$/.test(id)) refuse("The id of an external project has at most 20 digits.");
  for (const text of [slug, organizationSlug]) {
    if (!/^[\w.~-]{1,255}$/.test(text) || text === "." || text === "..") {
      refuse("The slugs of an external project and its organization have 1 to 255 letters, digits, -, _, . and ~.");
    }
  }
  for (const text of [name, organizationName]) {
    // oxlint-disable-next-line no-control-regex -- the pattern looks for them
    if (text.length > 255 || /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(text)) {
      refuse("Names of an external project have at most 255 characters on one line.");
    }
  }
  return {
    externalProjectId: id,
    externalProjectSlug: slug,
    externalProjectName: name,
    externalOrganizationSlug: organizationSlug,
    externalOrganizationName: organizationName,
  };
}

function refuse(message: string): never {
  throw invalidField("external_project", message);
}
