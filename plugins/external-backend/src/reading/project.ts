import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExternalProjectSchema } from "@faultline/proto";
import { asObject, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { idOf, readItems, requiredId, textOf, missingKeys } from "./fields.ts";

/** The projects that a token can see, at most 100. */
export function readProjects(json: JsonValue): MessageInitShape<typeof ExternalProjectSchema>[] {
  return readItems(json, readProject, ({ id }) => id);
}

function readProject(sent: JsonObject): MessageInitShape<typeof ExternalProjectSchema> {
  const id = requiredId(sent, "id");
  const organization = asObject(sent["organization"]);
  const named = {
    slug: slugOf(sent),
    name: textOf(sent["name"], maxName),
    organizationSlug: slugOf(organization),
    organizationName: textOf(organization?.["name"], maxName),
  };
  const missing = Object.entries(keys).filter(([field]) => named[field as keyof typeof keys] === "");
  if (missing.length > 0) throw missingKeys(...missing.map(([, key]) => key));
  const status = textOf(sent["status"], 64);
  return { id, ...named, status: /^[\w ]+$/.test(status) ? status : "", organizationId: idOf(organization, "id") };
}

const keys = {
  slug: "slug",
  name: "name",
  organizationSlug: "organization.slug",
  organizationName: "organization.name",
} as const;

const maxName = 255;

/** A slug becomes part of a path. Sentry's slugs have letters, digits, `-` and `_`; ours also have `.` and `~`. */
function slugOf(sent: JsonObject | undefined): string {
  const slug = sent?.["slug"];
  return typeof slug === "string" && /^(?!\.{1,2}$)[\w.~-]{1,255}$/.test(slug) ? slug : "";
}

/** The scopes of the token, from `GET /api/0/`; undefined when the system does not report them. */
export function readScopes(json: JsonValue): readonly string[] | undefined {
  const scopes = asObject(asObject(json)?.["auth"])?.["scopes"];
  if (!Array.isArray(scopes)) return undefined;
  return scopes
    .slice(0, 100)
    .filter((scope): scope is string => typeof scope === "string" && /^[a-z:_-]{1,64}$/.test(scope));
}
