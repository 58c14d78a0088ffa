import { ScalarType, toJson, type DescField, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { commentOf } from "@faultline/proto/comments";
import { list, table, type Schema } from "./schema.ts";
import type { Shape } from "./shape.ts";

/**
 * A message in ProtoJSON: with the field names of the proto file, and every field without presence. Its schema has the
 * name of the message.
 */
export function messageShape<Desc extends DescMessage>(message: Desc): Shape<MessageShape<Desc>> {
  return {
    schema: schemaOfMessage(message),
    message,
    write: (value) => toJson(message, value, { useProtoFieldName: true, alwaysEmitImplicit: true }),
  };
}

const schemas = new Map<DescMessage, Schema>();

/** Each message has one schema, because names in the document are unique. */
function schemaOfMessage(message: DescMessage): Schema {
  const { name, typeName, fields } = message;
  if (!typeName.startsWith("faultline.")) return table("Free data.", true); // google.protobuf.Struct
  const known = schemas.get(message);
  if (known) return known;
  const schema = {
    type: "object",
    description: () => commentOf(message),
    properties: Object.fromEntries(fields.map((field) => [field.name, describedSchemaOf(field)])),
    required: fields.filter(isAlwaysThere).map((field) => field.name),
  };
  const made = { component: { name, schema } };
  schemas.set(message, made);
  return made;
}

/** With `alwaysEmitImplicit` only optional fields and messages can be absent. */
const isAlwaysThere = (field: DescField) =>
  field.fieldKind === "list" || field.fieldKind === "map" || !hasPresence(field);

const hasPresence = (field: DescField) => field.fieldKind === "message" || field.proto.proto3Optional;

function describedSchemaOf(field: DescField): Schema {
  const schema = schemaOf(field);
  return schema.component ? schema : { ...schema, description: () => commentOf(field) }; // a reference has its own
}

function schemaOf(field: DescField): Schema {
  switch (field.fieldKind) {
    case "list":
      return list(field.message ? schemaOfMessage(field.message) : scalar(field.scalar));
    case "map":
      return table("", field.scalar === undefined ? true : scalar(field.scalar));
    case "message":
      return schemaOfMessage(field.message);
    case "enum":
      return { type: "string", enum: field.enum.values.map(({ name }) => name) };
    case "scalar":
      return scalar(field.scalar);
  }
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
      throw new Error(`no schema for a field of scalar type ${type}`); // 64-bit numbers are strings in JSON
  }
}
