import type { LeastRole } from "@faultline/plugin";
import {
  objectSchema,
  text,
  type Parameter,
  type Parameters,
  type RestOperation,
  type Schema,
} from "@faultline/plugin/rest";
import { limited, optionalHeader, pageHeaderRefs, refusals, type ResponseObject } from "./responses.ts";
import { described, mapValues, type Components, type DocumentSchema } from "./document-schema.ts";

/** A parameter in OpenAPI's form. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description: string;
  readonly schema: DocumentSchema;
  readonly deprecated?: boolean;
}

/** An operation in OpenAPI's form, with the role and the scope it needs. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: DocumentSchema }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
  readonly "x-least-role": LeastRole["role"];
  readonly "x-scope": LeastRole["scope"];
}

const project: Schema = text("The project: its id, or its path with `/` written as `%2F`.", {
  minLength: 1,
  maxLength: 255,
  examples: ["1"],
});

/** Services with calls that may go to an external system or an issue tracker. */
const callingOut = new Set([
  "ErrorService",
  "SettingsService",
  "ActivityService",
  "NotificationPreferenceService",
  "TrackerService",
  "TrackerIssueService",
]);

/** An operation in OpenAPI's form. `least` holds the minimum needs of its method. */
export function operationObject(
  { method, verb, path, id, tag, summary, more, inPath, params, oneOf, answer, refuses }: RestOperation,
  least: LeastRole,
  components: Components,
): OperationObject {
  const schemas = {
    project,
    ...Object.fromEntries(Object.entries(inPath).map(([name, { schema }]) => [name, schema])),
  };
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const schema = schemas[name as keyof typeof schemas] as Schema | undefined;
    if (!schema) throw new Error(`${id} does not describe :${name} of its path.`);
    return parameter(name, "path", { schema, isRequired: true }, components);
  });
  const hasBody = verb !== "GET" && Object.keys(params).length > 0;
  const query = hasBody ? [] : Object.entries(params).map(([name, one]) => parameter(name, "query", one, components));
  const statuses = new Set<keyof typeof refusals>([
    400,
    401,
    403,
    405,
    410,
    415,
    429,
    503,
    ...(named.length > 0 ? [404 as const] : []),
    ...(callingOut.has(method.parent.name) ? [502 as const] : []),
    ...refuses,
  ]);
  const { status, description, schema, pages, headers = {} } = answer;
  const response: ResponseObject = {
    description,
    ...(schema && { content: { "application/json": { schema: components.write(schema) } } }),
    ...(pages && { headers: { ...pageHeaderRefs(pages), ...mapValues(headers, optionalHeader) } }),
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [more, needed(least)].filter((sentence) => sentence !== undefined).join(" "),
    parameters: [...named, ...query],
    ...(hasBody && { requestBody: bodyOf({ params, oneOf }, components) }),
    responses: {
      [status]: limited(response),
      ...Object.fromEntries([...statuses].map((one) => [one, { $ref: `#/components/responses/${refusals[one]}` }])),
    },
    "x-least-role": least.role,
    "x-scope": least.scope,
  };
}

function parameter(
  name: string,
  place: "path" | "query",
  { schema: { description = "", deprecated, ...schema }, isRequired = false }: Omit<Parameter<unknown>, "read">,
  components: Components,
): ParameterObject {
  const isDeprecated = deprecated === true && { deprecated };
  const object = { name, in: place, required: isRequired, schema: components.write(schema), ...isDeprecated };
  return described(description, object) as ParameterObject; // keeps its description
}

const tokenScopes: Readonly<Record<LeastRole["scope"], string>> = {
  read: "`api` or `read_api`",
  write: "`api`",
  upload: "`api` or `upload`",
};

function needed({ role, scope }: LeastRole): string {
  const sentence =
    role === "User"
      ? "Every user may do this"
      : role === "Administrator"
        ? "Only administrators may do this"
        : `Needs at least the role ${role} in the project`;
  return `${sentence}, with a token of scope ${tokenScopes[scope]}.`;
}

/** JSON, or both kinds of forms if each field can be written as text. */
function bodyOf(
  { params, oneOf }: Pick<RestOperation, "params" | "oneOf">,
  components: Components,
): NonNullable<OperationObject["requestBody"]> {
  const anyOf = oneOf.map((names) => ({ ...objectSchema(picked(params, names)), required: names }));
  const schema = components.write({ ...objectSchema(params), ...(anyOf.length > 0 && { anyOf }) });
  const isFlat = Object.values(schema.properties ?? {}).every(
    ({ type }) => type !== undefined && type !== "object" && type !== "array",
  );
  return {
    required: schema.required !== undefined || schema.anyOf !== undefined,
    content: {
      "application/json": { schema },
      ...(isFlat && { "application/x-www-form-urlencoded": { schema }, "multipart/form-data": { schema } }),
    },
  };
}

const picked = (params: Parameters, names: readonly string[]): Parameters =>
  Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name)));
