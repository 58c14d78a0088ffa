/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
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
}

/** Finds the schema that a `$ref` names. */
export type Resolve = (reference: string) => Schema;

/**
 * The faults of a value by a schema, each with its place, such as `$.id: is no integer`. It is stricter than JSON
 * Schema: a field that the schema does not name is a fault, because the document would not mention it.
 */
export function schemaFaults(value: unknown, schema: Schema, resolve: Resolve, place = "$"): string[] {
  if (schema.$ref !== undefined) return schemaFaults(value, resolve(schema.$ref), resolve, place);
  if (schema.anyOf) {
    const all = schema.anyOf.map((one) => schemaFaults(value, one, resolve, place));
    return all.some((faults) => faults.length === 0) ? [] : [`${place}: is none of: ${all.flat().join("; ")}`];
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [`${place}: ${JSON.stringify(value)} is no ${types.join(" or ")}`];
  }
  const faults: string[] = [];
  const fault = (isWrong: boolean, words: string) => isWrong && faults.push(`${place}: ${words}`);
  fault(schema.enum?.includes(value) === false, `${JSON.stringify(value)} is none of ${schema.enum?.join(", ")}`);
  fault("const" in schema && value !== schema.const, `${JSON.stringify(value)} is not ${schema.const}`);
  if (typeof value === "string") {
    fault(schema.pattern !== undefined && !new RegExp(schema.pattern).test(value), `"${value}" has another form`);
    fault(value.length < (schema.minLength ?? 0), `"${value}" is too short`);
    fault(value.length > (schema.maxLength ?? Infinity), `"${value}" is too long`);
    fault(schema.format !== undefined && !isOfFormat(value, schema.format), `"${value}" is no ${schema.format}`);
  }
  if (typeof value === "number") {
    fault(value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity), `${value} is out of range`);
  }
  if (Array.isArray(value)) {
    fault(value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity), "has a wrong length");
    const { items } = schema;
    if (items) faults.push(...value.flatMap((one, n) => schemaFaults(one, items, resolve, `${place}[${n}]`)));
  } else if (typeof value === "object" && value !== null) {
    faults.push(...objectFaults(value, schema, resolve, place));
  }
  return faults;
}

function objectFaults(
  value: object,
  { properties = {}, required = [], additionalProperties }: Schema,
  resolve: Resolve,
  place: string,
): string[] {
  const isOpen = Object.keys(properties).length === 0;
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${place}.${name}: is missing`),
    ...Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const own = properties[name];
      if (own) return schemaFaults(inner, own, resolve, `${place}.${name}`);
      if (typeof additionalProperties === "object") {
        return schemaFaults(inner, additionalProperties, resolve, `${place}.${name}`);
      }
      return isOpen || additionalProperties === true ? [] : [`${place}.${name}: is not described`];
    }),
  ];
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isOfFormat(value: string, format: string): boolean {
  if (format === "date") return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  if (format === "date-time") return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
  throw new Error(`the format ${format} is not known here`);
}
