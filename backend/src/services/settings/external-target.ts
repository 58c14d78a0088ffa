import { invalidField, type ExternalTarget } from "@faultline/plugin";
import type { ListExternalProjectsRequest } from "@faultline/proto";
import type { SettingsRow } from "./settings.ts";
import { externalTokenPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { externalApiUrl } from "./external-api-url.ts";
import { checkExternalToken, isMaskedToken } from "./external-token.ts";

/**
 * The address and the token of a lookup. Fields that the request omits come from the stored settings; the stored token
 * is only ever sent to the origin it was entered for, as any maintainer may name any address.
 */
export function externalTarget(
  request: ListExternalProjectsRequest,
  stored: SettingsRow | null,
  keyRing: KeyRing,
): ExternalTarget {
  const apiUrl = externalApiUrl(request.externalApiUrl) || (stored?.externalApiUrl ?? "");
  if (apiUrl === "") throw invalidField("external_api_url", "Enter the External API URL first.");
  const typed = request.externalAuthToken;
  checkExternalToken(typed);
  if (typed !== "" && !isMaskedToken(typed)) return { apiUrl, token: typed };
  if (stored?.externalAuthToken == null) throw invalidField("external_auth_token", "Enter the auth token first.");
  if (URL.parse(apiUrl)?.origin !== URL.parse(stored.externalApiUrl)?.origin) {
    throw invalidField(
      "external_auth_token",
      "The stored auth token belongs to another External API URL. Enter the auth token for this one.",
    );
  }
  return { apiUrl, token: keyRing.decrypt(externalTokenPlace(stored.id), stored.externalAuthToken) };
}
