import type { JsonField } from "./json/json.ts";

/**
 * An event id as 32 lower-case hexadecimal digits, sent as such or as a hyphenated UUID in any case (Rust sends both in
 * one envelope). Undefined for anything else, and for nil, all zeros.
 */
export function readEventId(value: JsonField): string | undefined {
  if (typeof value !== "string" || value.length > 36) return undefined;
  const id = HYPHENATED.test(value) ? value.replaceAll("-", "") : value;
  return PLAIN.test(id) && id !== NIL ? id.toLowerCase() : undefined;
}

const PLAIN = /^[0-9a-f]{32}$/i;
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NIL = "0".repeat(32);
