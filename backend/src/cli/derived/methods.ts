import {
  fromJson,
  toJson,
  ScalarType,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import { badParameter, cursorLinks, type Parameter, type RestOperation, type Sent } from "@faultline/plugin/rest";
import { commentOf } from "@faultline/proto/comments";

/**
 * A verb of the command line over a method: an operation of REST, or a verb that `methodVerb` derives from a
 * descriptor.
 */
export type Verb = Omit<RestOperation, "method" | "verb" | "oneOf" | "refuses"> & { readonly method: DescMethod };

/** Fields of requests that name the project or a page. Every verb asks for them in the same way. */
const common = new Set(["project_id", "project_path", "page_size", "page_token", "skip"]);
/** Fields of responses that are about the page. */
const ofPage = new Set(["next_page_token", "previous_page_token", "total_size"]);

/**
 * The verb of a method that has no operation in REST. Its descriptions are the comments of the proto file, its
 * arguments the required fields of the request, its parameters the other fields, and its answer the response in the
 * form of REST.
 */
export function methodVerb(method: DescMethod): Verb {
  const { input, output } = method;
  const fields = input.fields.filter(({ name }) => !common.has(name));
  const isArgument = (field: DescField) =>
    isRequired(field) && field.fieldKind !== "message" && field.fieldKind !== "list";
  const parameters = (of: readonly DescField[]) =>
    Object.fromEntries(of.map((field) => [field.name, parameterOf(field)]));
  const inPath = parameters(fields.filter(isArgument));
  const params = parameters(fields.filter((field) => !isArgument(field)));
  const hasProject = input.field["projectId"] !== undefined;
  const isPaged = input.field["pageToken"] !== undefined;
  const [summary = "", ...more] = commentOf(method).split(/(?<=\.) /);
  return {
    method,
    id: method.localName,
    path: [...(hasProject ? ["project"] : []), ...Object.keys(inPath)].map((name) => `/:${name}`).join(""),
    tag: "",
    summary: imperative(summary.replace(/\.$/, "")),
    more: more.join(" "),
    inPath,
    params,
    answer: { status: 200, description: "", ...(isPaged && { pages: "cursor" }) },
    async run({ admitted: { project, invoke }, path, sent, address }) {
      const named = Object.fromEntries(Object.entries(path).map(([name, part]) => [name, decodeURIComponent(part)]));
      const given: Sent = {
        ...Object.fromEntries(
          Object.entries({ ...inPath, ...params }).map(([name, { read }]) => [
            name,
            read({ ...sent, ...named }[name], name),
          ]),
        ),
        ...(hasProject && { project_id: project?.id }),
        ...(isPaged && { page_size: sent["per_page"], page_token: sent["cursor"] }),
      };
      const response = await invoke(requestOf(input, given));
      const { next_page_token: next = "" } = jsonOf(output, response) as JsonObject; // a message becomes an object
      const headers = isPaged ? cursorLinks(address, { next: String(next) }) : {};
      return { status: 200, headers, body: answerOf(output, response) };
    },
  };
}

/** A sentence of the proto files, such as "Lists the keys", as an imperative. */
const imperative = (sentence: string) =>
  sentence.replace(/^\w+?(?:ies|s)\b/, (verb) => verb.replace(/ies$/, "y").replace(/s$/, ""));

/** A request from the values of its fields. Undefined values are left out. */
function requestOf(message: DescMessage, given: Sent): MessageShape<DescMessage> {
  try {
    return fromJson(
      message,
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject,
    );
  } catch (error) {
    const [, name = "a field"] = /field [\w.]+\.(\w+)/.exec(String(error)) ?? [];
    throw badParameter(name, "is invalid");
  }
}

/** Whether a field is required. The proto files say so only in the comment of the field. */
const isRequired = (field: DescField) => /\bRequired\b/.test(commentOf(field));

/**
 * The description of a field, and the conversion of its text to JSON. `fromJson` takes numbers, times and bytes as
 * text.
 */
function parameterOf(field: DescField): Parameter<unknown> {
  const description = commentOf(field);
  const isMessage = field.message !== undefined && !field.message.typeName.startsWith("google.protobuf.Timestamp");
  const words = field.enum && wordsOf(field.enum);
  const one = (text: unknown, name: string): unknown => {
    if (words) return words.get(String(text)) ?? wrong(name);
    if (field.scalar === ScalarType.BOOL) return String(text) === "true";
    return text;
  };
  const schema = {
    description,
    type: field.fieldKind === "map" || isMessage ? "object" : field.scalar === ScalarType.BOOL ? "boolean" : "string",
    ...(words && { enum: [...words.keys()] }),
  };
  const isList = field.fieldKind === "list";
  return {
    schema: isList ? { type: "array", description, items: schema } : schema,
    isRequired: isRequired(field),
    read: (value, name) =>
      value === undefined ? undefined : isList ? [value].flat().map((each) => one(each, name)) : one(value, name),
  };
}

function wrong(name: string): never {
  throw badParameter(name, "does not have a valid value");
}

/** The values of an enum by their words in REST: `resolved` for ERROR_STATUS_RESOLVED. */
const wordsOf = ({ values }: DescEnum) =>
  new Map(values.filter(({ number }) => number !== 0).map(({ localName, name }) => [localName.toLowerCase(), name]));

/** A response in the form of REST: its only message or list, or all of it. */
export function answerOf(message: DescMessage, response: MessageShape<DescMessage>): unknown {
  const body = messageBody(message, response);
  const [field, ...others] = message.fields.filter(({ name }) => !ofPage.has(name));
  const isAlone = others.length === 0 && field?.message !== undefined && field.fieldKind !== "map";
  return isAlone ? (body as JsonObject)[field.name] : body; // a message becomes an object
}

/** A message in the form of REST. */
export const messageBody = (message: DescMessage, value: MessageShape<DescMessage>): unknown =>
  bodyIn(message, jsonOf(message, value));

const jsonOf = (message: DescMessage, value: MessageShape<DescMessage>) =>
  toJson(message, value, { useProtoFieldName: true, alwaysEmitImplicit: true });

/** Converts enums to words, 64-bit values to numbers, and missing fields to null. */
function bodyIn(message: DescMessage, json: JsonValue): JsonValue {
  if (message.typeName.startsWith("google.protobuf.")) return json;
  const object = json as JsonObject; // a message becomes an object
  return Object.fromEntries(
    message.fields.map((field) => {
      const value = object[field.name];
      if (value === undefined) return [field.name, null];
      return [field.name, Array.isArray(value) ? value.map((one) => valueIn(field, one)) : valueIn(field, value)];
    }),
  );
}

function valueIn(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "map") return value;
  if (field.message) return bodyIn(field.message, value);
  if (field.enum)
    return (
      field.enum.values.find(({ name, number }) => name === value && number !== 0)?.localName.toLowerCase() ?? null
    );
  const isLarge = field.scalar === ScalarType.UINT64 || field.scalar === ScalarType.INT64;
  return isLarge ? Number(value) : value;
}
