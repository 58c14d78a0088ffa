import { limited, refusals, type Answer } from "./answers.ts";
import { pathParameters, type Parameter } from "./parameters.ts";
import type { Schema } from "./schema.ts";

/** Who may do it at least: a role in the project, any user, or an administrator. */
export type LeastRole = "User" | "Guest" | "Reporter" | "Developer" | "Maintainer" | "Owner" | "Administrator";

/** An operation as OpenAPI has it, with the role and the scope it needs. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
  readonly "x-least-role": LeastRole;
  readonly "x-scope": "read" | "write";
}

export type Verb = "get" | "post" | "put" | "patch" | "delete";
export type PathItem = Readonly<Partial<Record<Verb, OperationObject>>>;
export type Paths = Readonly<Record<string, PathItem>>;

interface Words {
  readonly id: string;
  readonly summary: string;
  /** More than the summary says. */
  readonly more?: string;
  readonly needs: readonly [LeastRole, "read" | "write"];
  readonly query?: readonly Parameter[];
  /** The fields of the body. */
  readonly body?: { readonly fields: Readonly<Record<string, Schema>>; readonly required?: readonly string[] };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Refusals beside those that every operation has. */
  readonly refuses?: readonly (keyof typeof refusals)[];
}

/** The paths of a resource: each operation in few words, with what all operations have added. */
export function resource(tag: string, paths: Readonly<Record<string, Partial<Record<Verb, Words>>>>): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([verb, words]) => [verb, operation(tag, path, words)])),
    ]),
  );
}

function operation(tag: string, path: string, words: Words): OperationObject {
  const { id, summary, more, needs, query = [], body, answers, refuses = [] } = words;
  const [role, scope] = needs;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => parameterIn(name));
  const statuses = new Set<keyof typeof refusals>([
    400,
    401,
    403,
    415,
    429,
    503,
    ...(named.length > 0 ? [404 as const] : []),
  ]);
  for (const status of refuses) statuses.add(status);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [more, needed(role, scope)].filter((text) => text !== undefined).join(" "),
    parameters: [...named, ...query],
    ...(body && { requestBody: bodyOf(body) }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, limited(answer)])),
      ...Object.fromEntries(
        [...statuses].map((status) => [status, { $ref: `#/components/responses/${refusals[status]}` }]),
      ),
    },
    "x-least-role": role,
    "x-scope": scope,
  };
}

function parameterIn(name: string): Parameter {
  const parameter = pathParameters[name];
  if (!parameter) throw new Error(`the path parameter ${name} is not described`);
  return parameter;
}

function needed(role: LeastRole, scope: "read" | "write"): string {
  const who = {
    User: "Every user may do this",
    Administrator: "Only administrators may do this",
  };
  const sentence = role in who ? who[role as keyof typeof who] : `Needs at least the role ${role} in the project`;
  return `${sentence}, with a token of scope ${scope === "read" ? "`api` or `read_api`" : "`api`"}.`;
}

/** JSON, and a form where no field needs more than a text. */
function bodyOf({ fields, required = [] }: NonNullable<Words["body"]>): NonNullable<OperationObject["requestBody"]> {
  const schema: Schema = { type: "object", properties: fields, ...(required.length > 0 && { required }) };
  const isFlat = Object.values(fields).every(({ type }) => type !== undefined && type !== "object" && type !== "array");
  return {
    required: required.length > 0,
    content: {
      "application/json": { schema },
      ...(isFlat && { "application/x-www-form-urlencoded": { schema } }),
    },
  };
}
