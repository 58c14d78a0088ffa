import { list, ref, type Schema } from "./schema.ts";

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

type Named<Value> = Value | { readonly $ref: string };

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Named<Header>>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** An answer with a body in JSON. */
export function json(description: string, schema: Schema): Answer {
  return { description, content: { "application/json": { schema } } };
}

/** A page of a list that is asked for by `page` and `per_page`. */
export function offsetPage(description: string, items: string): Answer {
  const headers = [...Object.keys(pageHeaders), "Link"].map((name) => [name, headerRef(name)] as const);
  return { ...json(description, list(ref(items))), headers: Object.fromEntries(headers) };
}

/** A page of a list whose neighbours are linked by a cursor. */
export function cursorPage(description: string, items: string): Answer {
  return { ...json(description, list(ref(items))), headers: { Link: headerRef("Link") } };
}

/** An answer without a body. */
export const noContent: Answer = { description: "Done; there is no body." };

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });

const number: Schema = { type: "integer", minimum: 1 };
const numberOrEmpty: Schema = { type: "string", pattern: "^([1-9]\\d*)?$" };

const pageHeaders: Readonly<Record<string, Header>> = {
  "X-Total": { description: "How many there are in all.", required: true, schema: { type: "integer", minimum: 0 } },
  "X-Total-Pages": { description: "How many pages.", required: true, schema: number },
  "X-Per-Page": { description: "Entries a page.", required: true, schema: number },
  "X-Page": { description: "This page.", required: true, schema: number },
  "X-Next-Page": { description: "The next page; empty: this is the last.", required: true, schema: numberOrEmpty },
  "X-Prev-Page": { description: "The page before; empty: this is the first.", required: true, schema: numberOrEmpty },
};

/** `components.headers`. */
export const headers = {
  ...pageHeaders,
  Link: {
    description: "Neighbouring pages (RFC 8288): `prev` and `next`, for numbered pages `first` and `last` as well.",
    required: false,
    schema: { type: "string" },
  },
  "Retry-After": { description: "Try again after so many seconds.", required: true, schema: number },
} satisfies Readonly<Record<string, Header>>;

const message = ref("Message");
const fault = ref("Fault");
const tokenFault = ref("TokenFault");

/** The name of the component that stands for a refusal. */
export const refusals = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  415: "UnsupportedType",
  422: "TooExpensive",
  429: "TooManyRequests",
  503: "Unavailable",
} as const;

/** `components.responses`: refusals have two forms of body, and a client must read both. */
export const responses: Readonly<Record<(typeof refusals)[keyof typeof refusals], Answer>> = {
  BadRequest: json("A parameter is missing or wrong, or the change is not possible.", { anyOf: [message, fault] }),
  Unauthorized: json("The token is missing, unknown, expired or revoked.", { anyOf: [message, tokenFault] }),
  Forbidden: json("The token's scope or the caller's role is too low.", { anyOf: [message, tokenFault] }),
  NotFound: json(
    "It does not exist, the caller may not know that it does, or it is not offered here: `message` says why, where the caller may know.",
    message,
  ),
  Conflict: json("It is taken, or somebody else changed it meanwhile.", message),
  UnsupportedType: json("The body is neither JSON nor a form.", fault),
  TooExpensive: json("It took too long and was ended: `message` says how to ask for less.", message),
  TooManyRequests: {
    ...json(
      "Too many searches or lists of releases of this user are under way, or many tokens that nobody has came from the caller's network and this is one more.",
      message,
    ),
    headers: { "Retry-After": { ...headers["Retry-After"], required: false } },
  },
  Unavailable: {
    ...json("The storage takes nothing now, or too much is under way.", message),
    headers: { "Retry-After": headerRef("Retry-After") },
  },
};
