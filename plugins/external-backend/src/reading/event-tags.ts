import { asObject, type JsonField, type JsonObject } from "@faultline/sentry-event";

/** The tags of an event by key; the first of a key wins. They are sent as `[{key, value}]`. */
export function sentTags(event: JsonObject): Map<string, JsonField> {
  const tags = new Map<string, JsonField>();
  const sent = event["tags"];
  if (!Array.isArray(sent)) return tags;
  for (const tag of sent) {
    const key = asObject(tag)?.["key"];
    if (typeof key === "string" && !tags.has(key)) tags.set(key, asObject(tag)?.["value"]);
  }
  return tags;
}
