/**
 * JSON to store. PostgreSQL accepts no NUL and no lone surrogate in a text, so they become U+FFFD on both databases.
 * Events of SDKs no longer contain any at this point, but internal services may send a NUL. The check costs 0.05 ms for
 * 100 events.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "string" ? storable(one) : one));
}

/** A text in the form to store. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
