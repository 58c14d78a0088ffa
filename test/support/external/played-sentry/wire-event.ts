import type { FakeEvent, FakeIssue } from "./data.ts";
import { iso, wireRelease } from "./wire.ts";

/** The shapes of the Sentry web API: events, made of what an SDK sent. */

type Json = Readonly<Record<string, unknown>>;

/** An event in a list. */
export function wireEventSummary(event: FakeEvent, issue: FakeIssue) {
  const { payload } = event;
  return {
    id: event.id,
    "event.type": issue.type === "" ? "default" : "error",
    groupID: issue.id,
    eventID: event.id,
    projectID: issue.project,
    message: text(payload["message"]),
    title: issue.title,
    location: null,
    culprit: issue.culprit,
    user: wireUser(payload["user"]),
    tags: wireTags(event, issue),
    platform: payload["platform"] ?? issue.platform,
    dateCreated: iso(event.occurredAt),
    crashFile: null,
    metadata: null,
  };
}

/** An event by itself. */
export function wireEvent(event: FakeEvent, issue: FakeIssue) {
  const { payload } = event;
  const at = issue.events.indexOf(event);
  const { "event.type": type, ...summary } = wireEventSummary(event, issue);
  return {
    ...summary,
    type,
    size: JSON.stringify(payload).length,
    entries: wireEntries(payload),
    dist: payload["dist"] ?? null,
    contexts: payload["contexts"] ?? {},
    sdk: payload["sdk"] ?? null,
    context: payload["extra"] ?? {},
    packages: payload["modules"] ?? {},
    dateReceived: iso(event.receivedAt),
    errors: [],
    occurrence: null,
    fingerprints: ["0".repeat(32)],
    groupingConfig: { id: "newstyle:2023-01-11" },
    release: wireRelease(text(payload["release"])),
    userReport: null,
    sdkUpdates: [],
    nextEventID: issue.events[at - 1]?.id ?? null,
    previousEventID: issue.events[at + 1]?.id ?? null,
    _meta: {
      entries: {},
      message: null,
      user: null,
      contexts: null,
      sdk: null,
      context: null,
      packages: null,
      tags: {},
    },
  };
}

function wireEntries(payload: Json) {
  const entry = (type: string, data: unknown) => (data === undefined ? [] : [{ type, data }]);
  const exceptions = list(payload["exception"]);
  return [
    ...entry("message", wireMessage(payload["logentry"] ?? payload["message"])),
    ...entry(
      "exception",
      exceptions && { values: exceptions.map(wireException), hasSystemFrames: true, excOmitted: null },
    ),
    ...entry("threads", wireThreads(payload["threads"])),
    ...entry("breadcrumbs", wireBreadcrumbs(payload["breadcrumbs"])),
    ...entry("request", wireRequest(payload["request"])),
  ];
}

function wireMessage(message: unknown) {
  if (message === undefined || message === "") return undefined;
  const sent = typeof message === "string" ? { formatted: message } : (message as Json);
  return { formatted: sent["formatted"] ?? null, message: sent["message"] ?? null, params: sent["params"] ?? null };
}

function wireException(exception: Json) {
  return {
    type: exception["type"] ?? null,
    value: exception["value"] ?? null,
    mechanism: exception["mechanism"] ?? null,
    threadId: exception["thread_id"] ?? null,
    module: exception["module"] ?? null,
    stacktrace: wireStack(exception["stacktrace"]),
    rawStacktrace: wireStack(exception["raw_stacktrace"]), // the original frames, if the system mapped them
  };
}

function wireStack(stacktrace: unknown) {
  const frames = (stacktrace as { frames?: Json[] } | undefined)?.frames;
  return frames === undefined
    ? null
    : { frames: frames.map(wireFrame), framesOmitted: null, registers: null, hasSystemFrames: true };
}

function wireFrame(frame: Json) {
  const line = frame["lineno"] as number | undefined;
  const before = (frame["pre_context"] ?? []) as string[];
  const after = (frame["post_context"] ?? []) as string[];
  const lines = frame["context_line"] === undefined ? [] : [...before, frame["context_line"], ...after];
  return {
    filename: frame["filename"] ?? null,
    absPath: frame["abs_path"] ?? null,
    module: frame["module"] ?? null,
    package: frame["package"] ?? null,
    platform: null,
    instructionAddr: null,
    symbolAddr: null,
    function: frame["function"] ?? null,
    rawFunction: null,
    symbol: null,
    context: lines.map((content, index) => [(line ?? 1) - before.length + index, content]),
    lineNo: line ?? null,
    colNo: frame["colno"] ?? null,
    inApp: frame["in_app"] ?? null,
    trust: null,
    errors: null,
    lock: null,
    vars: frame["vars"] ?? null,
  };
}

function wireThreads(threads: unknown) {
  const values = list(threads)?.map((thread) => ({
    id: thread["id"] ?? null,
    name: thread["name"] ?? null,
    current: thread["current"] ?? false,
    crashed: thread["crashed"] ?? false,
    state: null,
    stacktrace: wireStack(thread["stacktrace"]),
    rawStacktrace: null,
  }));
  return values && { values };
}

function wireBreadcrumbs(breadcrumbs: unknown) {
  const values = list(breadcrumbs)?.map((crumb) => ({
    type: crumb["type"] ?? "default",
    timestamp: typeof crumb["timestamp"] === "number" ? iso(crumb["timestamp"] * 1000) : (crumb["timestamp"] ?? null),
    level: crumb["level"] ?? "info",
    message: crumb["message"] ?? null,
    category: crumb["category"] ?? null,
    data: crumb["data"] ?? null,
    event_id: null,
  }));
  return values && { values };
}

function wireRequest(request: unknown) {
  if (request === undefined) return undefined;
  const { url, method, headers, cookies, data, query_string: query, env } = request as Json;
  return {
    apiTarget: null,
    url: url ?? null,
    method: method ?? null,
    query: typeof query === "string" ? [...new URLSearchParams(query)] : (query ?? []),
    fragment: null,
    data: data ?? null,
    headers: Object.entries((headers ?? {}) as Json),
    cookies: Object.entries((cookies ?? {}) as Json),
    env: env ?? null,
    inferredContentType: null,
  };
}

export function wireUser(user: unknown) {
  if (user === undefined) return null;
  const { id = null, email = null, username = null, ip_address = null, name = null, ...others } = user as Json;
  const data = { ...others, ...(others["data"] as Json | undefined) };
  if (data["data"] === others["data"]) delete data["data"];
  return { id, email, username, ip_address, name, geo: null, data: Object.keys(data).length === 0 ? null : data };
}

export function wireTags({ payload }: FakeEvent, issue: FakeIssue) {
  const { environment, release, logger, server_name, transaction } = payload;
  const named = { level: issue.level, environment, release, logger, server_name, transaction };
  return Object.entries({ ...named, ...(payload["tags"] as Json | undefined) })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: String(value) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** The values of an interface of the payload: its `values`, or the interface itself if it is a list. */
function list(values: unknown): readonly Json[] | undefined {
  if (values === undefined) return undefined;
  return Array.isArray(values) ? (values as Json[]) : (values as { values: Json[] }).values;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** `GET issues/<id>/tags/`. */
export function wireIssueTags(issue: FakeIssue) {
  const keys = new Map<string, { value: string; event: FakeEvent }[]>();
  for (const event of issue.events) {
    const tags = wireTags(event, issue).map(({ key, value }) => ({ key, value }));
    const user = userValue(event);
    for (const { key, value } of user === "" ? tags : [...tags, { key: "user", value: user }]) {
      keys.set(key, [...(keys.get(key) ?? []), { value, event }]);
    }
  }
  return [...keys].map(([key, entries]) => {
    const values = valuesOf(key, entries);
    return { key, name: key, totalValues: entries.length, uniqueValues: values.length, topValues: values.slice(0, 10) };
  });
}

/** `GET issues/<id>/tags/user/values/`. */
export function wireIssueUsers(issue: FakeIssue) {
  const entries = issue.events.map((event) => ({ value: userValue(event), event })).filter(({ value }) => value !== "");
  return valuesOf("user", entries).map((value) => {
    const newest = entries.find((entry) => entry.value === value.value);
    const user = wireUser(newest?.event.payload["user"]);
    return { ...value, id: user?.id, username: user?.username, email: user?.email, ipAddress: user?.ip_address };
  });
}

function valuesOf(key: string, entries: readonly { value: string; event: FakeEvent }[]) {
  const values = Map.groupBy(entries, ({ value }) => value);
  return [...values]
    .map(([value, all]) => {
      const times = all.map(({ event }) => event.occurredAt);
      const [first, last] = [Math.min(...times), Math.max(...times)];
      return { key, name: value, value, count: all.length, firstSeen: iso(first), lastSeen: iso(last) };
    })
    .toSorted((one, other) => other.count - one.count);
}

/** Sentry names a user by the user's first name in this order. */
function userValue({ payload }: FakeEvent): string {
  const user = wireUser(payload["user"]);
  if (!user) return "";
  if (user.id) return `id:${String(user.id)}`;
  if (user.username) return `username:${String(user.username)}`;
  if (user.email) return `email:${String(user.email)}`;
  return user.ip_address ? `ip:${String(user.ip_address)}` : "";
}
