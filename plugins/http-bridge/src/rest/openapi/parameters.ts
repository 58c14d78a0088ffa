import { choice, positive, text, type Schema } from "./schema.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly deprecated?: boolean;
}

/** A parameter of the query. */
export function query(name: string, { description = "", deprecated, ...schema }: Schema): Parameter {
  return { name, in: "query", required: false, description, schema, ...(deprecated && { deprecated }) };
}

function path(name: string, { description = "", ...schema }: Schema): Parameter {
  return { name, in: "path", required: true, description, schema };
}

const id = (name: string, description: string) => path(name, positive(description));
const aWord = { minLength: 1, maxLength: 255 };

/** The parameters that stand in paths, by their names there. */
export const pathParameters: Readonly<Record<string, Parameter>> = Object.fromEntries(
  [
    path("project", text("The project: its id, or its path with `/` written as `%2F`.", { ...aWord, examples: ["1"] })),
    id("deleted_project", "The id of a deleted project."),
    id("key_id", "The client key."),
    id("deletion_id", "The deletion."),
    id("discard_id", "The discard."),
    path("error_id", text("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" })),
    path("event_id", text("The event: 32 hexadecimal digits, or 36 with hyphens.", { pattern: "^[0-9a-f]{32}$" })),
    path("version", text("The release, with `/` written as `%2F`.", { minLength: 1, maxLength: 200 })),
    id("user_id", "The user."),
    id("invitation_id", "The invitation."),
    id("member_role_id", "The custom role."),
    id("token_id", "The personal access token."),
  ].map((parameter) => [parameter.name, parameter]),
);

export const page = query("page", positive("The page, from 1.", { default: 1, maximum: 1_000_000 }));
export const perPage = query("per_page", positive("Entries a page; more than 100 count as 100.", { default: 20 }));
export const cursor = query("cursor", text("From the header `Link` of the page before.", { maxLength: 1000 }));
export const environment = query(
  "environment",
  text("Only this environment; empty: what names none. Absent: all.", { maxLength: 64 }),
);

/** A window that ends with the running hour. */
export function period(otherwise: string): Parameter {
  const windows = ["24h", "7d", "14d", "30d", "90d"];
  return query("period", choice("So much time, up to now.", windows, { default: otherwise }));
}
