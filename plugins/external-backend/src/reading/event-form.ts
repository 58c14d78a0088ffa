import { asObject, type JsonField, type JsonObject } from "@faultline/sentry-event";
import { sentTags } from "./event-tags.ts";
import { onlyText } from "./fields.ts";
import { stackForm } from "./stack-form.ts";

/**
 * Converts an event of the web API to the form in which SDKs send it. One reader then serves both, with the same
 * limits, types and trims, and an external event shows exactly as an integrated one (specification 1.3).
 */
export function eventForm(sent: JsonObject): JsonObject {
  const entries = sentEntries(sent);
  const tags = sentTags(sent);
  const promoted = (key: string) => tags.get(key) ?? null;
  return {
    title: onlyText(sent["title"]),
    platform: onlyText(sent["platform"]),
    level: promoted("level"),
    logger: promoted("logger"),
    server_name: promoted("server_name"),
    transaction: promoted("transaction"),
    release: onlyText(asObject(sent["release"])?.["version"]) ?? promoted("release"),
    environment: promoted("environment"),
    tags: Object.fromEntries([...tags].filter(([key]) => !fieldsSentAsTags.has(key)).map(([k, v]) => [k, v ?? null])),
    logentry: messageForm(entries.get("message"), sent["message"], entries),
    exception: { values: valuesOf(entries.get("exception")).map(exceptionForm) },
    threads: { values: valuesOf(entries.get("threads")).map(threadForm) },
    stacktrace: stackForm(entries.get("stacktrace")),
    breadcrumbs: { values: valuesOf(entries.get("breadcrumbs")).map(breadcrumbForm) },
    request: requestForm(entries.get("request")),
    user: asObject(sent["user"]) ?? null,
    contexts: asObject(sent["contexts"]) ?? null,
    extra: asObject(sent["context"]) ?? null,
    modules: asObject(sent["packages"]) ?? null,
    sdk: asObject(sent["sdk"]) ?? null,
  };
}

/** The API has these fields of an event only among its tags. */
const fieldsSentAsTags: ReadonlySet<string> = new Set([
  "dist",
  "environment",
  "level",
  "logger",
  "release",
  "server_name",
  "transaction",
  "user",
]);

/** The parts of an event by type; the first of a type wins. */
function sentEntries(sent: JsonObject): Map<string, JsonObject> {
  const entries = new Map<string, JsonObject>();
  const list = sent["entries"];
  for (const item of Array.isArray(list) ? list : []) {
    const entry = asObject(item);
    const type = entry?.["type"];
    const data = asObject(entry?.["data"]);
    if (typeof type === "string" && data && !entries.has(type)) entries.set(type, data);
  }
  return entries;
}

/** The message. The event's own `message` stands in only where nothing else says what happened. */
function messageForm(entry: JsonObject | undefined, message: JsonField, entries: Map<string, JsonObject>) {
  if (entry) return entry;
  return entries.has("exception") ? null : onlyText(message);
}

function exceptionForm(sent: JsonObject): JsonObject {
  const { type = null, value = null, module = null, mechanism = null } = sent;
  return {
    type: onlyText(type),
    value: onlyText(value),
    module: onlyText(module),
    mechanism,
    stacktrace: ownStack(sent),
  };
}

function threadForm(sent: JsonObject): JsonObject {
  const { id = null, name = null, current = null, crashed = null } = sent;
  return { id, name: onlyText(name), current, crashed, stacktrace: ownStack(sent) };
}

function ownStack(sent: JsonObject) {
  return stackForm(sent["stacktrace"]) ?? stackForm(sent["rawStacktrace"]);
}

/** From 2023 on, `message` of a query is formatted for people, and `messageRaw` is what was sent. */
function breadcrumbForm(sent: JsonObject): JsonObject {
  return { ...sent, message: onlyText(sent["messageRaw"]) ?? sent["message"] ?? null };
}

function requestForm(sent: JsonObject | undefined): JsonObject | null {
  if (!sent) return null;
  const { url = null, method = null, query = null, headers = null, cookies = null, data = null, env = null } = sent;
  return { url, method: onlyText(method), query_string: query, headers, cookies, data, env };
}

function valuesOf(entry: JsonObject | undefined): JsonObject[] {
  const values = entry?.["values"];
  return Array.isArray(values) ? values.map(asObject).filter((value) => value !== undefined) : [];
}
