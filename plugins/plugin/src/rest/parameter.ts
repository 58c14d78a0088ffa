import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ErrorReason } from "@faultline/proto";
import { ServiceError } from "../service-error.ts";
import { timestamp } from "../times.ts";
import { isoDay } from "./iso-time.ts";
import { choice, day, flag, list, positive, table, text, time, type Schema, type Words } from "./schema.ts";

/** Names and values from query, form or JSON. An operation reads the names it knows and ignores the others. */
export type Sent = Readonly<Record<string, unknown>>;

/** A parameter of the query, the body or the path: how the document describes it and how a call reads it. */
export interface Parameter<Value> {
  readonly schema: Schema;
  /** A call without it is refused. */
  readonly isRequired?: boolean;
  /**
   * The field of the request that its value fills in, by its name in code. If undefined, the operation's code reads it.
   */
  readonly field?: string;
  /** Reads the sent value. Returns undefined if it was omitted, and null for JSON null. Throws ParameterFault. */
  read(value: unknown, name: string): Value;
}

/** Parameters by their names. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values that parameters read, by their names. */
export type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** Reads the parameters in order; throws the first fault. */
export function readParameters<P extends Parameters>(parameters: P, sent: Sent): Values<P> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, parameter.read(sent[name], name)]),
  ) as Values<P>; // by the same names
}

/** Treats null as an omitted value. */
function given<Value>(read: (value: unknown, name: string) => Value) {
  return (value: unknown, name: string) => (value === undefined || value === null ? undefined : read(value, name));
}

function readText(value: unknown, name: string): string {
  if (typeof value !== "string") throw badParameter(name, "is invalid");
  return value;
}

/** A text. */
export function textParam(description: Words, more: Schema = {}): Parameter<string | undefined> {
  return { schema: text(description, more), read: given(readText) };
}

/** A required text that must not be empty. */
export function filledText(description: Words, more: Schema = {}): Parameter<string> {
  const nonNull = required(textParam(description, more));
  return {
    ...nonNull,
    read(value, name) {
      const read = nonNull.read(value, name);
      if (read === "") throw badParameter(name, "is empty");
      return read;
    },
  };
}

/** One of several words. */
export function choiceParam<Choice extends string>(
  description: Words,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return {
    schema: choice(description, choices),
    read: given((value, name) => {
      const sent = readText(value, name);
      const found = choices.find((one) => one === sent);
      if (found === undefined) throw badParameter(name, "does not have a valid value");
      return found;
    }),
  };
}

/** One of several words that each stand for a value. */
export function namedParam<Name extends string, Value>(
  description: Words,
  values: Readonly<Record<Name, Value>>,
): Parameter<Value | undefined> {
  const names = Object.keys(values) as Name[]; // a literal table has no other keys
  return mapped(choiceParam(description, names), (name) => values[name]);
}

/** A boolean, as JSON or as text. */
export function flagParam(description: Words, more: Schema = {}): Parameter<boolean | undefined> {
  return {
    schema: flag(description, more),
    read: given((value, name) => {
      if (value === "") throw badParameter(name, "is empty");
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0") return false;
      throw badParameter(name, "is invalid");
    }),
  };
}

/** A whole number from 1, or from a `minimum` of 0, as JSON or as text. */
export function numberParam(description: Words, more: Schema = {}): Parameter<number | undefined> {
  return {
    schema: positive(description, more),
    read: given((value, name) => {
      const number = more.minimum === 0 && String(value) === "0" ? 0 : wholeNumber(value);
      if (number === undefined) throw badParameter(name, "is invalid");
      return number;
    }),
  };
}

/** A list of texts, as JSON or as text with commas. */
export function textsParam(schema: Schema): Parameter<readonly string[] | undefined> {
  return {
    schema,
    read: given((value, name) => {
      const sent: unknown[] =
        value === "" ? [] : typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [0];
      if (!sent.every((one) => typeof one === "string")) throw badParameter(name, "is invalid");
      return sent;
    }),
  };
}

/** A list whose values are read individually, as JSON or as text with commas. */
export function listParam<Value>(
  description: Words,
  { schema, read }: Parameter<Value | undefined>,
  more: Schema = {},
): Parameter<readonly Value[] | undefined> {
  return {
    schema: list(schema, { description, ...more }),
    read: given((value, name) => {
      const sent: unknown[] = value === "" ? [] : typeof value === "string" ? value.split(",") : [value].flat();
      if (sent.length > (more.maxItems ?? Infinity)) throw badParameter(name, "is invalid");
      return sent.map((one) => {
        const found = read(one, name);
        if (found === undefined) throw badParameter(name, "is invalid");
        return found;
      });
    }),
  };
}

/** A moment such as `2026-05-01T10:20:30.000Z`. */
export function timeParam(description: Words, more: Schema = {}): Parameter<Timestamp | undefined> {
  return {
    schema: { ...time(description), ...more },
    read: given((value, name) => {
      const ms = typeof value === "string" && moment.test(value) ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(ms)) throw badParameter(name, "is invalid");
      return timestamp(ms);
    }),
  };
}

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The revision that the caller read. 0 for settings that were never saved. */
export const revisionParam: Parameter<number | undefined> = {
  schema: {
    type: "integer",
    minimum: 0,
    maximum: 999_999_999,
    description: "The revision that was read. When it is not the present one, the change is refused with 409.",
  },
  read: given((value, name) => {
    if (!/^\d{1,9}$/.test(String(value))) throw badParameter(name, "is invalid");
    return Number(value);
  }),
};

/** A day such as `2024-05-01`, read as its first moment in UTC. */
export function dayParam(description: Words): Parameter<Timestamp | undefined> {
  return {
    schema: day(description),
    read: given((value, name) => {
      const sent = readText(value, name);
      const start = timestamp(Date.parse(`${sent}T00:00Z`) || 0);
      if (isoDay(start) !== sent) throw badParameter(name, "is invalid"); // also February 30, which parses as March
      return start;
    }),
  };
}

/** An object of further parameters, which only JSON can carry. */
export function objectParam<P extends Parameters>(description: Words, parameters: P): Parameter<Values<P> | undefined> {
  return {
    schema: { ...objectSchema(parameters), description },
    read: given((value, name) => {
      if (typeof value !== "object" || Array.isArray(value)) throw badParameter(name, "is invalid");
      return readParameters(parameters, value as Sent); // checked to be an object
    }),
  };
}

/** The schema of an object with parameters as fields. */
export function objectSchema(parameters: Parameters): Schema {
  const named = Object.entries(parameters);
  const requiredNames = named.filter(([, { isRequired }]) => isRequired === true).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
    ...(requiredNames.length > 0 && { required: requiredNames }),
  };
}

/** The fields of a channel or tracker, as an object of texts. */
export const fields: Parameter<Readonly<Record<string, string>>> = {
  schema: table("The fields of the kind, by key; secrets too.", { type: "string", maxLength: 4096 }),
  read(value, name) {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw badParameter(name, "is invalid");
    if (!Object.values(value).every((one) => typeof one === "string")) throw badParameter(name, "is invalid");
    return value as Record<string, string>; // checked above
  },
};

/** The parameter `fields` with an example for the document. */
export const fieldsLike = (example: Readonly<Record<string, string>>): typeof fields => ({
  ...fields,
  schema: { ...fields.schema, examples: [example] },
});

/** The same parameter, but required. */
export function required<Value>({ schema, read }: Parameter<Value | undefined>): Parameter<Value> {
  return {
    schema,
    isRequired: true,
    read(value, name) {
      const found = read(value, name);
      if (found === undefined) throw badParameter(name, "is missing");
      return found;
    },
  };
}

/** The same parameter with its value in another form. */
export function mapped<Value, Result>(
  { schema, read }: Parameter<Value | undefined>,
  to: (value: Value) => Result,
): Parameter<Result | undefined> {
  return {
    schema,
    read(value, name) {
      const found = read(value, name);
      return found === undefined ? undefined : to(found);
    },
  };
}

/** The same parameter, but empty if it is omitted. */
export function orEmpty({ schema, read }: Parameter<string | undefined>): Parameter<string> {
  return { schema, read: (value, name) => read(value, name) ?? "" };
}

/** The same parameter with a default; `named` is the default in the form that a call would send. */
export function withDefault<Value>(
  { schema, read }: Parameter<Value | undefined>,
  value: NoInfer<Value>,
  named: unknown = value,
): Parameter<Value> {
  return { schema: { ...schema, default: named }, read: (sent, name) => read(sent, name) ?? value };
}

const hours = { "24h": 24, "7d": 168, "14d": 336, "30d": 720, "90d": 2160 } as const;

/** A window of hours that ends with the current hour. */
export function periodParam(otherwise: keyof typeof hours): Parameter<number> {
  return withDefault<number>(namedParam("So much time, up to now.", hours), hours[otherwise], otherwise);
}

/** An id in a path. A text that is not an id is refused with `reason`, because it names nothing. */
export function idInPath(description: Words, reason: ErrorReason): Parameter<number> {
  return {
    schema: positive(description),
    read(value, name) {
      const id = wholeNumber(value);
      if (id === undefined) throw new ServiceError(reason, `The path names no ${name}.`);
      return id;
    },
  };
}

/** A text in a path, without percent-decoding. */
export function textInPath(description: Words, more: Schema = {}): Parameter<string> {
  return { schema: text(description, more), read: (value) => String(value) };
}

/** A text in a path that may hold any characters, percent-encoded. */
export function decodedInPath(description: Words, more: Schema = {}): Parameter<string> {
  return {
    schema: text(description, more),
    read(value, name) {
      const decoded = decodedPart(String(value));
      if (decoded === "") throw badParameter(name, "is invalid");
      return decoded;
    },
  };
}

/** A percent-decoded segment of a path. Empty, which names nothing, if the segment is malformed or holds a NUL. */
export function decodedPart(part: string | undefined): string {
  try {
    const decoded = decodeURIComponent(part ?? "");
    return decoded.includes("\0") ? "" : decoded;
  } catch {
    return "";
  }
}

/**
 * A whole number from 1 in a path or parameter. Undefined for anything else. Only the plain form counts, so that an id
 * has a single address: `01`, `+1`, `1e1` and ` 1` are refused.
 */
export function wholeNumber(value: unknown): number | undefined {
  const digits = typeof value === "number" ? String(value) : value;
  return typeof digits === "string" && /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

export type Fault = "is missing" | "is invalid" | "is empty" | "is too large" | "does not have a valid value";

/** A request that cannot be read. The body of the answer is `{"error": "<name> <fault>"}` (gitlab.md 1.1). */
export class ParameterFault extends Error {
  readonly status: number;

  /** `status` is 400, or 415 for an unsupported type of body. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A parameter that is missing or malformed. */
export function badParameter(name: string, fault: Fault): ParameterFault {
  return new ParameterFault(400, `${name} ${fault}`);
}
