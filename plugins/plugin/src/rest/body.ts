import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { commentOf } from "@faultline/proto/comments";
import { isoTime } from "./iso-time.ts";
import { restName, wordOf, wordsOf, wordsOfField } from "./field-words.ts";
import { choice, count, flag, list, orNull, positive, table, time, type Schema, type Words } from "./schema.ts";
import { inline, type Field, type Fields, type Shape } from "./shape.ts";

/** The names of a message's fields in code. */
export type FieldOf<Desc extends DescMessage> = Exclude<keyof MessageShape<Desc>, "$typeName" | "$unknown"> & string;

/**
 * How a field of a body differs from its field in the proto file: another name, null if it is empty, 0 or missing, or
 * omitted from the body (false).
 */
export type Difference = string | null | false | SeveralDifferences;

interface SeveralDifferences {
  /** Its name. */
  readonly as?: string;
  /** Null if the field is empty, 0 or missing. */
  readonly orNull?: boolean;
  /** The form of its message, or of the messages in its list. */
  readonly of?: Shape<never>;
  /** Further properties of its schema. For a list, of the schema of its entries. */
  readonly schema?: Schema;
  /** The maximum number of entries in its list. */
  readonly maxItems?: number;
  /** The words for the values of its enum, if they differ from the proto file. */
  readonly words?: Readonly<Record<string, number>>;
}

/** The form of a message, with its fields, which another body can include. */
export interface Body<Message> extends Shape<Message> {
  readonly fields: Fields<Message>;
}

/**
 * The form of a message in a body, from its descriptor: all its fields except members of a oneof, under their names in
 * the proto file with `_at` for times, and with its comments. `differences` are by the names in code; `further` are
 * fields that the message does not have.
 */
export function bodyOf<Desc extends DescMessage>(
  message: Desc,
  differences: Partial<Readonly<Record<FieldOf<Desc>, Difference>>> = {},
  {
    name = message.name,
    description = () => commentOf(message),
    further = {},
    optional = {},
  }: {
    /** Its name in the document. Null if it has no name and is described inline. */
    readonly name?: string | null;
    readonly description?: Words;
    readonly further?: Fields<MessageShape<Desc>>;
    /** Further fields, which are omitted if they are undefined. */
    readonly optional?: Fields<MessageShape<Desc>>;
  } = {},
): Body<MessageShape<Desc>> {
  const named = message.fields.flatMap((field) => {
    const difference = severalOf((differences as Readonly<Record<string, Difference | undefined>>)[field.localName]);
    return difference === undefined || field.oneof
      ? []
      : [{ field, name: difference.as ?? restName(field), difference }];
  });
  const names = Object.fromEntries(named.map((one) => [one.field.name, one.name]));
  const derived = named.map((one) => [one.name, fieldOf(one.field, one.difference, names)] as const);
  const fields: Fields<MessageShape<Desc>> = { ...Object.fromEntries(derived), ...further };
  const { schema, write } = inline(description, fields, optional);
  return { schema: name === null ? schema : { component: { name, schema } }, message, fields, write };
}

/** Undefined if the field is omitted. */
function severalOf(difference: Difference | undefined): SeveralDifferences | undefined {
  if (difference === false) return undefined;
  if (difference === null) return { orNull: true };
  return typeof difference === "string" ? { as: difference } : (difference ?? {});
}

function fieldOf(
  field: DescField,
  difference: SeveralDifferences,
  names: Readonly<Record<string, string>>,
): Field<MessageShape<DescMessage>> {
  const isOptional = field.fieldKind !== "message" && field.proto.proto3Optional;
  const isNull = difference.orNull ?? isOptional;
  const { schema, write } = formOf(
    field,
    difference,
    wordsOfField(field, { names, empty: isNull ? "Null" : undefined, words: difference.words }),
  );
  const valueOf = (message: MessageShape<DescMessage>) =>
    (message as unknown as Record<string, unknown>)[field.localName];
  if (!isNull) return [schema, (message) => write(valueOf(message))];
  return [
    orNull(schema),
    (message) => {
      const value = valueOf(message);
      return value === undefined || (!isOptional && !value) ? null : write(value);
    },
  ];
}

/** A field's value: how the document describes it, and how a body holds it. */
interface Form {
  readonly schema: Schema;
  readonly write: (value: unknown) => unknown;
}

function formOf(
  field: DescField,
  { of, schema: more = {}, maxItems, words }: SeveralDifferences,
  description: Words,
): Form {
  switch (field.fieldKind) {
    case "list": {
      const { schema, write } = entryOf(field, of, more);
      const bounds = maxItems === undefined ? {} : { maxItems };
      return {
        schema: list(schema, { ...bounds, description }),
        write: (values) => (values as readonly unknown[]).map(write),
      };
    }
    case "map": {
      const values = field.scalar === undefined ? true : ({ type: "string" } as const);
      return { schema: { ...table(description, values), ...more }, write: (value) => value };
    }
    case "message":
      return messageOf(field.message, of, description, more);
    case "enum": {
      const choices = words ?? wordsOf(field.enum);
      const schema = choice(description, Object.keys(choices), more);
      return { schema, write: (value) => Object.entries(choices).find(([, one]) => one === value)?.[0] ?? null };
    }
    case "scalar":
      return scalarOf(field, description, more);
  }
}

function entryOf(field: DescField & { fieldKind: "list" }, of: Shape<never> | undefined, more: Schema): Form {
  if (field.listKind === "message") return messageOf(field.message, of, "", more);
  if (field.listKind === "scalar")
    return scalarOf({ name: field.name.replace(/s$/, ""), scalar: field.scalar }, "", more);
  const words = Object.fromEntries(field.enum.values.map((value) => [value.number, wordOf(value)]));
  const choices = Object.keys(wordsOf(field.enum));
  return { schema: { type: "string", enum: choices, ...more }, write: (value) => words[value as number] };
}

function messageOf(message: DescMessage, of: Shape<never> | undefined, description: Words, more: Schema): Form {
  if (message.typeName === "google.protobuf.Timestamp") {
    return { schema: { ...time(description), ...more }, write: (value) => isoTime(value as Timestamp | undefined) };
  }
  if (message.typeName === "google.protobuf.Struct") {
    return { schema: { ...table(description, true), ...more }, write: (value) => value ?? {} };
  }
  const { schema, write } = of ?? bodyOf(message);
  return {
    schema,
    write(value) {
      if (value === undefined) throw new Error(`A response lacks the ${message.name} that it always has.`);
      return write(value as never); // of this message
    },
  };
}

const wide = new Set([ScalarType.INT64, ScalarType.UINT64, ScalarType.FIXED64, ScalarType.SFIXED64, ScalarType.SINT64]);

/** 64-bit numbers are counts and ids, which stay far below 2^53. */
function scalarOf({ name, scalar }: { name: string; scalar: ScalarType }, description: Words, more: Schema): Form {
  const same = (value: unknown) => value;
  const described = description === "" ? {} : { description };
  switch (scalar) {
    case ScalarType.STRING:
      return { schema: { type: "string", ...described, ...more }, write: same };
    case ScalarType.BOOL:
      return { schema: { ...flag(description), ...more }, write: same };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { schema: { type: "number", ...described, ...more }, write: same };
    case ScalarType.BYTES:
      throw new Error(`${name}: bytes have no form in JSON here`);
    default: {
      const schema = /(^|_)id$/.test(name) ? positive(description) : count(description);
      return { schema: { ...schema, ...more }, write: wide.has(scalar) ? Number : same };
    }
  }
}
