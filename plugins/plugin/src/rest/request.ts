import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { restName, wordsOf, wordsOfField } from "./field-words.ts";
import type { FieldOf } from "./body.ts";
import {
  filledText,
  flagParam,
  listParam,
  mapped,
  namedParam,
  numberParam,
  objectParam,
  required,
  textParam,
  textsParam,
  timeParam,
  withDefault,
  type Parameter,
  type Parameters,
} from "./parameter.ts";
import { list, type Schema, type Words } from "./schema.ts";

/**
 * How a parameter differs from its field of the request: another name, omitted (false), read differently, or with
 * further bounds in its schema.
 */
export type ParameterDifference = string | false | (Parameter<unknown> & Named) | SeveralDifferences;

interface Named {
  readonly as?: string;
}

interface SeveralDifferences extends Named, Omit<Schema, "required" | "description"> {
  /** A call without it is refused. A text must not be empty either. */
  readonly isRequired?: boolean;
  /** The words for the values of its enum, if they differ from the proto file. */
  readonly words?: Readonly<Record<string, number>>;
  /** The parameters of its message, if they differ. */
  readonly of?: Parameters;
}

/** The fields that paths and pages fill in; see `operation`. */
const ofPages = new Set(["page_size", "page_token", "skip"]);
const ofProject = new Set(["project_id", "project_path"]);

/**
 * The parameters of a call, from the descriptor of its request: its fields under their names in the proto file, with
 * `_at` for times, and with its comments. Fields of a oneof, of the project and of pages are omitted. `differences` are
 * by the names in code.
 */
export function paramsOf<Desc extends DescMessage>(
  message: Desc,
  differences: Partial<Readonly<Record<FieldOf<Desc>, ParameterDifference>>> = {},
): Parameters {
  const named = message.fields.flatMap((field) => {
    const given = (differences as Readonly<Record<string, ParameterDifference | undefined>>)[field.localName];
    if (given === false || field.oneof || ofPages.has(field.name)) return [];
    if (message.field["projectPath"] && ofProject.has(field.name)) return [];
    const { as = restName(field), ...difference }: (Parameter<unknown> & Named) | SeveralDifferences =
      typeof given === "string" ? { as: given } : (given ?? {});
    return [{ field, name: as, difference }];
  });
  const names = Object.fromEntries(named.map(({ field, name }) => [field.name, name]));
  return Object.fromEntries(
    named.map(({ field, name, difference }) => [
      name,
      { ...("read" in difference ? difference : derived(field, difference, names)), field: field.localName },
    ]),
  );
}

function derived(
  field: DescField,
  { isRequired = false, default: otherwise, words, of, ...bounds }: SeveralDifferences,
  names: Readonly<Record<string, string>>,
): Parameter<unknown> {
  const description = wordsOfField(field, { names, empty: "Omitted", words });
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  if (isRequired && isText) return filledText(description, bounds);
  const optional = parameterOf(field, description, bounds, { words, of });
  if (isRequired) return required(optional);
  if (otherwise !== undefined) return withDefault(optional, optional.read(otherwise, field.name), otherwise);
  const isFalse = field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL && !field.proto.proto3Optional;
  return isFalse ? withDefault(optional, false) : optional;
}

function parameterOf(
  field: DescField,
  description: Words,
  bounds: Schema,
  { words, of }: { readonly words: Readonly<Record<string, number>> | undefined; readonly of: Parameters | undefined },
): Parameter<unknown> {
  switch (field.fieldKind) {
    case "scalar":
      return scalarParam(field.scalar, description, bounds);
    case "enum":
      return namedParam(description, words ?? wordsOf(field.enum));
    case "message":
      if (field.message.typeName === "google.protobuf.Timestamp") return timeParam(description, bounds);
      return messageParam(description, of ?? paramsOf(field.message));
    case "list":
      if (field.listKind === "scalar" && field.scalar === ScalarType.STRING) {
        const { items = { type: "string" }, ...ofList } = bounds;
        return textsParam(list(items, { description, ...ofList }));
      }
      if (field.listKind === "enum")
        return listParam(description, namedParam("", words ?? wordsOf(field.enum)), bounds);
      if (field.listKind === "scalar") return listParam(description, scalarParam(field.scalar, "", {}), bounds);
      if (field.listKind === "message")
        return listParam(description, messageParam("", of ?? paramsOf(field.message)), bounds);
  }
  throw new Error(`${field} needs a parameter that is written by hand`);
}

/** An object with fields that fill in the fields of a message. */
export function messageParam(description: Words, fields: Parameters): Parameter<unknown> {
  return mapped(objectParam(description, fields), (values) => requestOf(fields, values));
}

function scalarParam(scalar: ScalarType, description: Words, bounds: Schema): Parameter<unknown> {
  switch (scalar) {
    case ScalarType.STRING:
      return textParam(description, bounds);
    case ScalarType.BOOL:
      return flagParam(description, bounds);
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return numberParam(description, bounds);
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return mapped(numberParam(description, bounds), BigInt);
    default:
      throw new Error(`no parameter is of the scalar type ${scalar}`);
  }
}

/** The fields of a request that parameters fill in. */
export function requestOf(parameters: Parameters, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { field }]) => {
      const value = values[name];
      return field === undefined || value === undefined ? [] : [[field, value]];
    }),
  );
}
