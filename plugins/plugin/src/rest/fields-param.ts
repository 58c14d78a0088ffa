import { badParameter } from "./parameter-fault.ts";
import type { Parameter } from "./parameter.ts";
import { table } from "./schema.ts";

/** The fields of a channel or tracker, as an object of texts. */
export const fields: Parameter<Readonly<Record<string, string>>> = {
  schema: table("The fields of the kind, by key; secrets too.", { type: "string", maxLength: 4096 }),
  read(value, name) {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw badParameter(name, "is invalid");
    if (!Object.values(value).every((one) => typeof one === "string")) throw badParameter(name, "is invalid");
    return value as Record<string, string>; // as checked
  },
};

/** The same, with an example for the document. */
export const fieldsLike = (example: Readonly<Record<string, string>>): typeof fields => ({
  ...fields,
  schema: { ...fields.schema, examples: [example] },
});
