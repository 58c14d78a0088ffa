import type { DescMessage } from "@bufbuild/protobuf";
import { list, orNull, record, type Schema, type Words } from "./schema.ts";

/** The form of a message in a body: its schema and its writer. */
export interface Shape<Message> {
  readonly schema: Schema;
  /** The message that it is derived from. */
  readonly message?: DescMessage;
  write(message: Message): unknown;
}

/** A field of a body: its schema and its value. */
export type Field<Message> = readonly [schema: Schema, value: (message: Message) => unknown];

/** The fields of a body by their names. */
export type Fields<Message> = Readonly<Record<string, Field<Message>>>;

/**
 * An object with these fields, which are always present, and the fields in `optional`, which are omitted if undefined.
 */
export function inline<Message>(
  description: Words,
  fields: Fields<Message>,
  optional: Fields<Message> = {},
): Shape<Message> {
  const schemas = (of: Fields<Message>) =>
    Object.fromEntries(Object.entries(of).map(([name, [schema]]) => [name, schema]));
  const values = Object.entries({ ...fields, ...optional }).map(([name, [, value]]) => [name, value] as const);
  return {
    schema: record(description, schemas(fields), schemas(optional)),
    // JSON has no undefined, so an absent field of `optional` is left out.
    write: (message) => Object.fromEntries(values.map(([name, value]) => [name, value(message)])),
  };
}

/** Like `inline`, with a name in the document. */
export function shape<Message>(
  name: string,
  description: Words,
  fields: Fields<Message>,
  optional?: Fields<Message>,
): Shape<Message> {
  const { schema, write } = inline(description, fields, optional);
  return { schema: { component: { name, schema } }, write };
}

/** The fields of a part of the message, placed next to the message's own fields. */
export function fieldsWithin<Message, Part>(fields: Fields<Part>, value: (message: Message) => Part): Fields<Message> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, [schema, of]]) => [name, [schema, (message: Message) => of(value(message))]]),
  );
}

/** A field that holds a part of the message in its own shape. */
export function part<Message, Part>(of: Shape<Part>, value: (message: Message) => Part): Field<Message> {
  return [of.schema, (message) => of.write(value(message))];
}

/** A field that holds a part of the message, or null. */
export function partOrNull<Message, Part>(
  of: Shape<Part>,
  value: (message: Message) => Part | undefined,
): Field<Message> {
  return [
    orNull(of.schema),
    (message) => {
      const found = value(message);
      return found === undefined ? null : of.write(found);
    },
  ];
}

/** A field that holds a list. */
export function each<Message, Part>(
  of: Shape<Part>,
  values: (message: Message) => readonly Part[],
  more: Schema = {},
): Field<Message> {
  return [list(of.schema, more), (message) => values(message).map((one) => of.write(one))];
}
