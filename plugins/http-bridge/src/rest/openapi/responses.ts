import { choice, list, record, table, text, type Schema } from "@faultline/plugin/rest";
import { restReasons } from "../http-error.ts";
import { mapValues, type Components, type DocumentSchema } from "./document-schema.ts";

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

type Named<Value> = Value | { readonly $ref: string };

/** A response in OpenAPI's form. */
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Named<Header>>>;
  readonly content?: Readonly<Record<string, { readonly schema: DocumentSchema }>>;
}

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });

const number: Schema = { type: "integer", minimum: 1 };
const numberOrEmpty: Schema = { type: "string", pattern: "^([1-9]\\d*)?$" };

const pageHeaders: Readonly<Record<string, Header>> = {
  "X-Total": { description: "The total number of entries.", required: true, schema: { type: "integer", minimum: 0 } },
  "X-Total-Pages": { description: "The number of pages.", required: true, schema: number },
  "X-Per-Page": { description: "Entries per page.", required: true, schema: number },
  "X-Page": { description: "This page.", required: true, schema: number },
  "X-Next-Page": { description: "The next page. Empty on the last page.", required: true, schema: numberOrEmpty },
  "X-Prev-Page": { description: "The previous page. Empty on the first page.", required: true, schema: numberOrEmpty },
};

const whole: Schema = { type: "integer", minimum: 0 };

/** The headers about call limits on every answer to a call with a token; omitted if the operator sets no limits. */
const limitHeaders: Readonly<Record<string, Header>> = {
  "RateLimit-Limit": {
    description: "The size of the burst of the limit with the least room, in calls.",
    required: false,
    schema: number,
  },
  "RateLimit-Name": {
    description: "The limit with the least room: `token`, `person` (all tokens of a person) or `session`.",
    required: false,
    schema: { type: "string", enum: ["token", "person", "session"] },
  },
  "RateLimit-Observed": { description: "Calls of this limit that are used.", required: false, schema: whole },
  "RateLimit-Remaining": { description: "Calls of this limit that are left.", required: false, schema: whole },
  "RateLimit-Reset": {
    description: "When the limit is full again, in seconds since 1970. With a `429`: when a call may pass.",
    required: false,
    schema: number,
  },
  "RateLimit-Policy": {
    description: 'All limits that apply (draft-ietf-httpapi-ratelimit-headers-10): `"token";q=500;w=10`.',
    required: false,
    schema: { type: "string" },
  },
  RateLimit: {
    description: 'The limit with the least room, in the form of the same draft: `"token";r=499;t=1`.',
    required: false,
    schema: { type: "string" },
  },
};

/** `components.headers`. */
export const headers = {
  ...pageHeaders,
  ...limitHeaders,
  Link: {
    description: "Neighbouring pages (RFC 8288): `prev` and `next`, for numbered pages `first` and `last` as well.",
    required: false,
    schema: { type: "string" },
  },
  Allow: { description: "The methods of the address.", required: true, schema: { type: "string" } },
  "Retry-After": { description: "Try again after this many seconds.", required: true, schema: number },
} satisfies Readonly<Record<string, Header>>;

/** The headers of a page of a list. */
export function pageHeaderRefs(pages: "numbered" | "cursor"): Readonly<Record<string, Named<Header>>> {
  const names = pages === "numbered" ? [...Object.keys(pageHeaders), "Link"] : ["Link"];
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]));
}

/** A header that an answer may omit. */
export const optionalHeader = (description: string): Header => ({
  description,
  required: false,
  schema: { type: "string" },
});

const named = (name: string, schema: Schema): Schema => ({ component: { name, schema } });

const reason = text(
  "A stable word for programs, such as `ERROR_NOT_FOUND`: a value of `ErrorReason` in error_reason.proto, or " +
    `${restReasons.map((name) => `\`${name}\``).join(", ")}.`,
  { pattern: "^[A-Z]+(_[A-Z]+)*$" },
);

const message = named(
  "Message",
  record("A refusal by the service.", {
    reason,
    message: {
      description: "`<status> <reason>` or a sentence; for a project's path that is taken, faults by field.",
      anyOf: [{ type: "string" }, table("Faults by field.", list({ type: "string" }))],
    },
  }),
);
const fault = named(
  "Fault",
  record("A refusal of the request itself: a parameter, the content type, the method or the address.", {
    reason,
    error: text("Such as `status is missing`."),
  }),
);
const tokenFault = named(
  "TokenFault",
  record(
    "A refusal of the token.",
    {
      error: choice("The fault of the token.", ["invalid_token", "insufficient_scope"]),
      error_description: text("In a sentence."),
      reason,
    },
    { scope: text("The scope that the call needs.") },
  ),
);

/** Adds the headers of call limits to an answer. */
export function limited(answer: ResponseObject): ResponseObject {
  const added = Object.fromEntries(Object.keys(limitHeaders).map((name) => [name, headerRef(name)]));
  return { ...answer, headers: { ...answer.headers, ...added } };
}

/** The name of each refusal's component. */
export const refusals = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "OtherMethod",
  409: "Conflict",
  410: "Removed",
  415: "UnsupportedType",
  422: "TooExpensive",
  429: "TooManyRequests",
  502: "OtherSystem",
  503: "Unavailable",
} as const;

type RefusalName = (typeof refusals)[keyof typeof refusals];

interface Refusal extends Pick<ResponseObject, "description" | "headers"> {
  readonly schema: Schema;
}

const refusal = (description: string, schema: Schema): Refusal => ({ description, schema });

/** Refusals have two forms of body, because GitLab has both; both contain `reason`. */
const refused: Readonly<Record<RefusalName, Refusal>> = {
  BadRequest: refusal("A parameter is missing or wrong, or the change is not possible.", { anyOf: [message, fault] }),
  Unauthorized: refusal("The token is missing, unknown, expired or revoked.", { anyOf: [message, tokenFault] }),
  Forbidden: refusal("The token's scope or the caller's role is too low.", { anyOf: [message, tokenFault] }),
  NotFound: refusal(
    "The object does not exist, the caller may not see it, or this installation does not offer it. `message` says why if the caller may know.",
    message,
  ),
  Conflict: refusal("The name is already in use, or somebody else changed the object in the meantime.", message),
  OtherMethod: {
    ...refusal("The address does not support this method. `Allow` names the methods that it supports.", fault),
    headers: { Allow: headerRef("Allow") },
  },
  Removed: refusal(
    "The platform release of this installation removed this address. `message` names the replacement.",
    message,
  ),
  OtherSystem: refusal("The external system or the issue tracker did not answer, or its answer is invalid.", message),
  UnsupportedType: refusal("The body is neither JSON nor a form.", fault),
  TooExpensive: refusal("The call took too long and was stopped. `message` says how to ask for less.", message),
  TooManyRequests: {
    ...refusal(
      "The token or person makes too many calls, the user has too many searches or lists of releases in progress, or the caller's network sent too many unknown tokens.",
      message,
    ),
    headers: { "Retry-After": { ...headers["Retry-After"], required: false } },
  },
  Unavailable: {
    ...refusal("The storage is not available, or too many requests are in progress.", message),
    headers: { "Retry-After": headerRef("Retry-After") },
  },
};

/** `components.responses`. */
export function refusalResponses(components: Components): Readonly<Record<RefusalName, ResponseObject>> {
  return mapValues(refused, ({ schema, ...rest }) =>
    limited({ ...rest, content: { "application/json": { schema: components.write(schema) } } }),
  ) as Record<RefusalName, ResponseObject>; // the same names
}
