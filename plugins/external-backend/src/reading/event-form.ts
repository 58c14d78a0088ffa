import { asObject, type JsonField, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { onlyText } from "./fields.ts";

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

/** The message. The event's own `message` is used only if nothing else says what happened. */
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

/**
 * Converts a stack trace of the web API to the form in which SDKs send it; null without a stack trace. Both have the
 * oldest call first.
 */
function stackForm(sent: JsonField): JsonObject | null {
  const frames = asObject(sent)?.["frames"];
  if (!Array.isArray(frames)) return null;
  return { frames: frames.flatMap((frame) => frameForm(asObject(frame))) };
}

function frameForm(sent: JsonObject | undefined): JsonObject[] {
  if (!sent) return [];
  const lineno = onlyNumber(sent["lineNo"]);
  return [
    {
      filename: onlyText(sent["filename"]),
      abs_path: onlyText(sent["absPath"]),
      function: onlyText(sent["function"]),
      raw_function: onlyText(sent["rawFunction"]),
      module: onlyText(sent["module"]),
      package: onlyText(sent["package"]),
      platform: onlyText(sent["platform"]),
      lineno,
      colno: onlyNumber(sent["colNo"]),
      in_app: sent["inApp"] ?? null,
      ...sourceLines(sent["context"], lineno),
      vars: sent["vars"] ?? null,
    },
  ];
}

/** The source lines, which are sent as pairs `[line number, text]`, split at the line of the call. */
function sourceLines(sent: JsonField, lineno: number | null): JsonObject {
  const before: JsonValue[] = [];
  const after: JsonValue[] = [];
  let line: string | null = null;
  for (const pair of Array.isArray(sent) ? sent : []) {
    if (!Array.isArray(pair) || typeof pair[0] !== "number" || lineno === null) continue;
    const text = onlyText(pair[1]) ?? "";
    if (pair[0] < lineno) before.push(text);
    else if (pair[0] > lineno) after.push(text);
    else line = text;
  }
  return { pre_context: before, context_line: line, post_context: after };
}

function onlyNumber(value: JsonField): number | null {
  return typeof value === "number" ? value : null;
}

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
