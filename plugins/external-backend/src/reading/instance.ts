import { asObject, type JsonValue } from "@faultline/plugin/sentry-event";

/** The scopes of the token, as `GET /api/0/` tells; undefined when it does not. */
export function readScopes(json: JsonValue): readonly string[] | undefined {
  const scopes = asObject(asObject(json)?.["auth"])?.["scopes"];
  if (!Array.isArray(scopes)) return undefined;
  return scopes
    .slice(0, 100)
    .filter((scope): scope is string => typeof scope === "string" && /^[a-z:_-]{1,64}$/.test(scope));
}

/** The release of the system, as `GET /api/client-config/` tells, such as `21.5.0`; undefined when it does not. */
export function readVersion(json: JsonValue): string | undefined {
  const version = asObject(asObject(json)?.["version"])?.["current"];
  return typeof version === "string" && /^\d{1,4}(?:\.[\w+-]{1,24}){1,5}$/.test(version) ? version : undefined;
}
