import type { JsonField, JsonObject } from "./json.ts";
import { isObject } from "./json.ts";

/**
 * The objects of a list that SDKs send bare (Go, Node) or as `{"values": [...]}` (the others); a lone object without
 * `values` is a list of one (section 5, "Values wrapper"). Entries that are not objects are left out.
 */
export function readValues(value: JsonField): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  if (value["values"] !== undefined) return Array.isArray(value["values"]) ? value["values"].filter(isObject) : [];
  return Object.keys(value).length > 0 ? [value] : [];
}
