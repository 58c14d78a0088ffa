/** A text, or a function that reads it from the proto files when the document is made. */
export type Words = string | (() => string);

/** The text of words. Empty if there are none. */
export const textOfWords = (words: Words = ""): string => (typeof words === "function" ? words() : words);

/** A named schema, which appears once in `components.schemas`. */
export interface Component {
  readonly name: string;
  readonly schema: Schema;
}

/** A JSON Schema (draft 2020-12, which OpenAPI 3.1 uses) with the keywords that the document uses. */
export interface Schema {
  /** Published as a `$ref` to it. */
  readonly component?: Component;
  readonly type?: string | readonly string[];
  readonly description?: Words;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly deprecated?: boolean;
}

/** A text. */
export function text(description: Words, more: Schema = {}): Schema {
  return { type: "string", description, ...more };
}

/** One of several words. */
export function choice(description: Words, choices: readonly string[], more: Schema = {}): Schema {
  return { type: "string", description, enum: choices, ...more };
}

/** A whole number from 0. */
export function count(description: Words): Schema {
  return { type: "integer", description, minimum: 0 };
}

/** The bounds of whole numbers from 1. */
export const fromOne = { minimum: 1, maximum: 999_999_999 } as const;

/** A whole number from 1, such as an id. */
export function positive(description: Words, more: Schema = {}): Schema {
  return { type: "integer", description, ...fromOne, ...more };
}

/** True or false. */
export function flag(description: Words, more: Schema = {}): Schema {
  return { type: "boolean", description, ...more };
}

/** A moment in UTC. */
export function time(description: Words): Schema {
  return { type: "string", format: "date-time", description, examples: ["2026-05-01T10:20:30.000Z"] };
}

/** A day in UTC. */
export function day(description: Words): Schema {
  return { type: "string", format: "date", description, examples: ["2026-05-01"] };
}

/** The same schema, or null. */
export function orNull(schema: Schema): Schema {
  if (schema.component) return { anyOf: [schema, { type: "null" }] };
  const choices = schema.enum && { enum: [...schema.enum, null] };
  return { ...schema, type: [String(schema.type), "null"], ...choices };
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { type: "array", items, ...more };
}

/** An object that always has these fields, and may have the fields in `optional`. A later release may add more. */
export function record(
  description: Words,
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: "object",
    description,
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  };
}

/** An object with arbitrary names. */
export function table(description: Words, values: Schema | true): Schema {
  return { type: "object", description, additionalProperties: values };
}
