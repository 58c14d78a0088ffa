import { ServiceError, type ExternalLink } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { SettingsRow } from "./settings.ts";
import { externalTokenPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";

/** The external project that settings link to, with the token to read it. */
export function externalLink(settings: SettingsRow, keyRing: KeyRing): ExternalLink {
  const { id, externalApiUrl, externalAuthToken, revision } = settings;
  if (externalAuthToken == null) {
    throw new ServiceError(
      ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE,
      "The auth token for the external system is missing. A maintainer can enter it in Settings > Monitor > Error Tracking.",
    );
  }
  return {
    apiUrl: externalApiUrl,
    token: keyRing.decrypt(externalTokenPlace(id), externalAuthToken),
    project: {
      id: settings.externalProjectId,
      slug: settings.externalProjectSlug,
      organizationSlug: settings.externalOrganizationSlug,
    },
    revision,
  };
}
