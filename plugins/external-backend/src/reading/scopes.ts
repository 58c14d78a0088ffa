import { asObject, type JsonValue } from "@faultline/sentry-event";

/** The scopes of the token, from `GET /api/0/`; undefined when the system does not report them. */
export function readScopes(json: JsonValue): readonly string[] | undefined {
  const scopes = asObject(asObject(json)?.["auth"])?.["scopes"];
  if (!Array.isArray(scopes)) return undefined;
  return scopes
    .slice(0, 100)
    .filter((scope): scope is string => typeof scope === "string" && /^[a-z:_-]{1,64}$/.test(scope));
}
