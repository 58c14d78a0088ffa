import type { JsonField, JsonObject, JsonValue } from "./json.ts";
import { isObject } from "./json.ts";
import { cleanText } from "./text.ts";

/** How much free data is kept: levels, characters of each entry, characters of all entries. */
export interface BagLimit {
  readonly depth: number;
  readonly size: number;
  readonly total: number;
}

/** Free data trimmed to its limit. Undefined when there is none, or when it is no object. */
export function readBag(value: JsonField, limit: BagLimit): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const bag: JsonObject = {};
  let left = limit.total;
  for (const key of Object.keys(value)) {
    if (left <= 0) break;
    const entry = value[key];
    if (entry === undefined || key === "__proto__") continue;
    const budget = { left: Math.min(limit.size, left) };
    const before = budget.left;
    bag[spend(key, budget)] = trim(entry, limit.depth - 1, budget);
    left -= before - budget.left;
  }
  return Object.keys(bag).length > 0 ? bag : undefined;
}

/** Any value as text: text as it is, other JSON as its JSON text, null as "". At most `max` characters. */
export function readAnyText(value: JsonField, max: number): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return cleanText(value, max);
  return cleanText(JSON.stringify(trim(value, 7, { left: max })), max);
}

interface Budget {
  left: number;
}

// Recursion ends at `depth`, so nesting that is deeper than the stack cannot fail here.
function trim(value: JsonValue, depth: number, budget: Budget): JsonValue {
  if (typeof value === "string") return spend(value, budget);
  budget.left -= 4;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (depth <= 0) return "...";
  return Array.isArray(value) ? trimList(value, depth, budget) : trimObject(value, depth, budget);
}

function trimList(list: JsonValue[], depth: number, budget: Budget): JsonValue[] {
  const kept: JsonValue[] = [];
  for (const entry of list) {
    if (budget.left <= 0) break;
    kept.push(trim(entry, depth - 1, budget));
  }
  return kept;
}

function trimObject(object: JsonObject, depth: number, budget: Budget): JsonObject {
  const kept: JsonObject = {};
  for (const key of Object.keys(object)) {
    if (budget.left <= 0) break;
    const entry = object[key];
    // Assigning `__proto__` would set the prototype instead of a key.
    if (entry === undefined || key === "__proto__") continue;
    kept[spend(key, budget)] = trim(entry, depth - 1, budget);
  }
  return kept;
}

function spend(text: string, budget: Budget): string {
  const kept = cleanText(text, Math.max(budget.left, 3));
  budget.left -= kept.length;
  return kept;
}
