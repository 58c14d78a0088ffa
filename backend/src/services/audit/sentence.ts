import { getOption, ScalarType, type DescField, type DescMessage, type DescMethod } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { MessageShape } from "@bufbuild/protobuf";
import { audit, change, unaudited } from "@faultline/proto";
import mustache from "mustache";

/** Parts that sentences share. */
export const partials = {
  user: "{{username}} ({{user_id}})",
  project: "{{path}} ({{project_id}})",
  role: '{{#member_role}}"{{name}}"{{/member_role}}{{^member_role}}{{role}}{{/member_role}}',
  member: "{{#user}}{{> user}}{{/user}} as {{> role}}",
  revoked:
    "{{#revoked_token_count}} and revoked {{revoked_token_count}} personal access token{{^revoked_token_count_is_one}}s{{/revoked_token_count_is_one}}{{/revoked_token_count}}",
};

/**
 * The template of a method's sentence in the audit log, from its proto file (`audit` in role.proto). Undefined for
 * methods that only read, and for methods that declare why they have no sentence. Throws if a method has neither, so
 * that the service does not start.
 */
export function templateOf(method: DescMethod): string | undefined {
  const [template, reason] = [getOption(method, audit), getOption(method, unaudited)];
  const isReading = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  if ([template !== "", reason !== "", isReading].filter(Boolean).length !== 1) {
    throw new Error(
      `${method} must have one of three options: idempotency_level = NO_SIDE_EFFECTS, (faultline.v1.audit) or (faultline.v1.unaudited).`,
    );
  }
  return template === "" ? undefined : template;
}

export function sentence(
  method: DescMethod,
  template: string,
  request: MessageShape<DescMessage>,
  response: MessageShape<DescMessage>,
): string {
  const asked = reflect(method.input, request);
  const view = { ...viewOf(asked), ...viewOf(reflect(method.output, response)), changes: changesOf(asked) };
  return mustache.render(template, view, partials, { escape: String });
}

type View = Readonly<Record<string, unknown>>;

/** The fields of a message for templates: a field is its value or a falsy value. */
function viewOf(message: ReflectMessage): View {
  return Object.fromEntries(message.fields.flatMap((field) => entriesOf(message, field)));
}

function entriesOf(message: ReflectMessage, field: DescField): (readonly [string, unknown])[] {
  const { name } = field;
  switch (field.fieldKind) {
    case "message":
      return [[name, message.isSet(field) && viewOf(message.get(field))]];
    case "enum":
      return [[name, nameOfValue(field.enum.value[message.get(field)]?.localName ?? "")]];
    case "list":
      return [[name, field.listKind === "scalar" && [...message.get(field)].join(" and ")]];
    case "map":
      return [[name, false]];
    case "scalar": {
      const value = message.get(field);
      const isOne = field.scalar !== ScalarType.STRING && Number(value) === 1;
      return [
        [name, value],
        [`${name}_is_one`, isOne],
      ];
    }
  }
}

/** `DEVELOPER` as Developer. */
const nameOfValue = (name: string) => name.slice(0, 1) + name.slice(1).toLowerCase().replaceAll("_", " ");

/** The changes of a request, named by its fields. */
function changesOf(request: ReflectMessage): string {
  const changes = request.fields.flatMap((field) => {
    const words = getOption(field, change);
    if (words === "" || !request.isSet(field)) return [];
    const [some = "", none = some] = words.split("|");
    if (field.fieldKind !== "scalar") return [some];
    const value = request.get(field);
    const isNone = value === false || value === 0 || value === 0n;
    return [(isNone ? none : some).replace("{}", () => String(value))];
  });
  return changes.join(", ") || "nothing";
}
