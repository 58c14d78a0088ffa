import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { list, ref, table, type Schema } from "./schema.ts";

/**
 * The schemas of messages that the REST API answers in their own JSON, with the names of the schema's fields and every
 * field that has no presence, and of the messages within them; by name.
 */
export function messageSchemas(...messages: readonly DescMessage[]): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const add = (message: DescMessage) => {
    if (Object.hasOwn(found, message.name)) return;
    const fields = message.fields.filter((field) => isSchemaOfOurs(field.message));
    found[message.name] = {
      type: "object",
      properties: Object.fromEntries(message.fields.map((field) => [field.name, schemaOf(field)])),
      required: message.fields.filter(isAlwaysThere).map(({ name }) => name),
    };
    for (const { message: inner } of fields) if (inner) add(inner);
  };
  messages.forEach(add);
  return found;
}

const isSchemaOfOurs = (message: DescMessage | undefined) => message?.typeName.startsWith("faultline.") === true;

/** With `alwaysEmitImplicit` only what is optional, or a message, can be absent. */
const isAlwaysThere = (field: DescField) =>
  field.fieldKind === "list" || field.fieldKind === "map" || !hasPresence(field);

const hasPresence = (field: DescField) => field.fieldKind === "message" || field.proto.proto3Optional;

function schemaOf(field: DescField): Schema {
  switch (field.fieldKind) {
    case "list":
      return list(field.message ? messageRef(field.message) : scalar(field.scalar));
    case "map":
      return table("", field.scalar === undefined ? true : scalar(field.scalar));
    case "message":
      return messageRef(field.message);
    case "enum":
      return { type: "string", enum: field.enum.values.map(({ name }) => name) };
    case "scalar":
      return scalar(field.scalar);
  }
}

function messageRef(message: DescMessage): Schema {
  return isSchemaOfOurs(message) ? ref(message.name) : table("Free data.", true); // google.protobuf.Struct
}

function scalar(type: ScalarType | undefined): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return { type: "integer" };
    default:
      throw new Error(`no schema for a field of scalar type ${type}`); // 64-bit ones are text in JSON
  }
}
