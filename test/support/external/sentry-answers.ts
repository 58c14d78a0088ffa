import type { ExternalLink } from "@faultline/plugin";
import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import type { ReadingContext } from "../../../plugins/external-backend/src/reading/index.ts";

/** Answers of Sentry's web API in the forms of its releases, written by hand. Each call makes a new answer. */

export const now = Date.UTC(2026, 10, 21, 12, 30);
export const hourMs = 3_600_000;
/** The current hour, counted from 1970. */
export const runningHour = Math.floor(now / hourMs);

export function linkTo(fields: Partial<ExternalLink> = {}): ExternalLink {
  return {
    apiUrl: "https://sentry.example.com",
    token: "secret",
    project: { id: "7", slug: "web", organizationSlug: "acme" },
    revision: 1,
    ...fields,
  };
}

export function contextOf(link: Partial<ExternalLink> = {}): ReadingContext {
  return { projectId: 42, link: linkTo(link), now };
}

/** The value of a JSON text. Keys such as `__proto__` become own keys, as in an answer. */
export function parsed(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** The hours of a day, `[start in seconds, count]`, that ends with the current hour. */
export function daySeries(counts: Readonly<Record<number, number>> = {}, length = 24): JsonValue[] {
  return Array.from({ length }, (_, index) => {
    const ago = length - 1 - index;
    return [(runningHour - ago) * 3600, counts[ago] ?? 0];
  });
}

/** An issue in a list of release 21.5, which has no `muted` any more and no `substatus` yet. */
export function issue2021(fields: JsonObject = {}): JsonObject {
  return {
    id: "1001",
    shareId: null,
    shortId: "WEB-R9",
    title: "TypeError: x is not a function",
    culprit: "app/components/cart in checkout",
    permalink: "https://sentry.example.com/organizations/acme/issues/1001/",
    logger: null,
    level: "error",
    status: "unresolved",
    statusDetails: {},
    isPublic: false,
    platform: "javascript",
    project: { id: "7", name: "Web", slug: "web", platform: "javascript" },
    type: "error",
    metadata: { type: "TypeError", value: "x is not a function", filename: "/app/cart.js", function: "checkout" },
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: false,
    annotations: [],
    isUnhandled: true,
    count: "17",
    userCount: 3,
    firstSeen: "2026-11-20T08:00:00Z",
    lastSeen: "2026-11-21T09:15:30.123456Z",
    stats: { "24h": daySeries({ 3: 5, 4: 12 }) },
    ...fields,
  };
}

/** An issue alone, in release 21.5. */
export function issueDetails2021(fields: JsonObject = {}): JsonObject {
  const { stats, ...issue } = issue2021();
  return {
    ...issue,
    activity: [{ id: "0", type: "first_seen", user: null, data: {}, dateCreated: "2026-11-20T08:00:00Z" }],
    seenBy: [],
    participants: [],
    pluginActions: [],
    pluginContexts: [],
    pluginIssues: [],
    userReportCount: 0,
    firstRelease: release("web@1.0.0+build.7"),
    lastRelease: release("web@1.2.0"),
    tags: [{ key: "browser", name: "Browser", totalValues: 17 }],
    stats: { ...(stats as JsonObject), "30d": [[runningHour * 3600 - 86_400, 17]] },
    ...fields,
  };
}

/**
 * An issue in releases from 24 on: archived issues are `ignored` with a substatus, and counts come with lifetime
 * counts.
 */
export function issue2024(fields: JsonObject = {}): JsonObject {
  return issue2021({
    level: "warning",
    status: "ignored",
    substatus: "archived_until_escalating",
    statusDetails: { ignoreCount: null, ignoreUntil: null, actor: null },
    platform: "python",
    priority: "medium",
    priorityLockedAt: null,
    seerFixabilityScore: null,
    title: "Payment refused",
    culprit: "shop.tasks.charge",
    type: "default",
    issueType: "error",
    issueCategory: "error",
    metadata: { title: "Payment refused", in_app_frame_mix: "in-app-only", initial_priority: 50, sdk: { name: "x" } },
    userCount: 0,
    count: "1234567",
    lifetime: { count: "1234567", userCount: 0, firstSeen: "2026-01-01T00:00:00Z", lastSeen: "2026-11-21T12:20:00Z" },
    filtered: null,
    permalink: "https://acme.sentry.example.com/issues/1001/",
    ...fields,
  });
}

/** An issue of another Faultline, which returns more than Sentry does. */
export function faultlineIssue(): JsonObject {
  return issueDetails2021({
    lastSeen: "2026-11-21T12:20:00Z",
    faultline: { settledLastSeen: "2026-11-21T09:15:30.123Z", reopened: "2026-11-21T08:00:00Z" },
  });
}

/** The fields of a release in an issue. */
export function release(version: string): JsonObject {
  return {
    id: 5,
    version,
    shortVersion: version.split("@").at(-1) ?? version,
    versionInfo: null,
    status: "open",
    ref: null,
    url: null,
    dateReleased: null,
    dateCreated: "2026-11-01T10:00:00Z",
    commitCount: 0,
    lastCommit: null,
    authors: [],
    newGroups: 1,
    projects: [{ id: 7, name: "Web", slug: "web", platform: "javascript" }],
  };
}

export const eventId = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
export const newerId = "b".repeat(32);
export const olderId = "c".repeat(32);

/** A frame of a stack trace. */
export function frame(fields: JsonObject = {}): JsonObject {
  return {
    filename: "app/cart.py",
    absPath: "/srv/app/cart.py",
    module: "app.cart",
    package: null,
    platform: null,
    instructionAddr: null,
    symbolAddr: null,
    function: "checkout",
    rawFunction: null,
    symbol: null,
    context: [
      [10, "def checkout(cart):"],
      [11, "    total = 0"],
      [12, "    return charge(cart.total)"],
      [13, ""],
      [14, "def other():"],
    ],
    lineNo: 12,
    colNo: null,
    inApp: true,
    trust: null,
    errors: null,
    vars: { cart: "<Cart 7>", items: ["1", "2"] },
    ...fields,
  };
}

/** An event of release 24 with all parts. */
export function event2024(fields: JsonObject = {}): JsonObject {
  return {
    id: eventId,
    groupID: "1001",
    eventID: eventId,
    projectID: "7",
    size: 12_345,
    entries: [
      {
        type: "exception",
        data: {
          values: [
            {
              type: "KeyError",
              value: "'total'",
              mechanism: { type: "chained", exception_id: 1, parent_id: 0, source: "__cause__", handled: true },
              threadId: null,
              module: "builtins",
              stacktrace: { frames: [frame({ function: "total" })], framesOmitted: null, registers: null },
              rawStacktrace: null,
              rawValue: null,
            },
            {
              type: "CheckoutFailed",
              value: "the cart is broken",
              mechanism: { type: "django", handled: false, exception_id: 0 },
              threadId: null,
              module: "app.errors",
              stacktrace: {
                frames: [
                  frame({ filename: "django/core.py", module: "django.core", inApp: false, vars: null, context: [] }),
                  frame(),
                ],
                framesOmitted: null,
                registers: null,
                hasSystemFrames: true,
              },
              rawStacktrace: null,
            },
          ],
          hasSystemFrames: true,
          excOmitted: null,
        },
      },
      {
        type: "breadcrumbs",
        data: {
          values: [
            {
              type: "default",
              timestamp: "2026-11-21T09:15:29.000000Z",
              level: "info",
              message: "SELECT total\nFROM cart",
              messageFormat: "sql",
              messageRaw: 'SELECT "total" FROM "cart"',
              category: "query",
              data: null,
              event_id: null,
            },
            {
              type: "http",
              timestamp: "2026-11-21T09:15:29.500000Z",
              level: "warning",
              message: null,
              category: "httplib",
              data: { url: "http://pay.example/", status_code: 500 },
              event_id: null,
            },
          ],
        },
      },
      {
        type: "request",
        data: {
          apiTarget: null,
          method: "POST",
          url: "https://shop.example/checkout",
          query: [
            ["step", "2"],
            ["lang", "de"],
          ],
          fragment: null,
          data: { cart: 7 },
          headers: [
            ["Content-Type", "application/json"],
            ["User-Agent", "Mozilla/5.0"],
          ],
          cookies: [["theme", "dark"]],
          env: { SERVER_NAME: "shop-1", REMOTE_ADDR: "203.0.113.9" },
          inferredContentType: "application/json",
        },
      },
      {
        type: "message",
        data: { message: "cart %s is broken", params: ["7"], formatted: "cart 7 is broken" },
      },
    ],
    dist: null,
    message: "cart 7 is broken",
    title: "CheckoutFailed: the cart is broken",
    location: "app/cart.py",
    culprit: "/checkout",
    user: {
      id: "u-1",
      email: "ann@example.com",
      username: "ann",
      ip_address: "203.0.113.9",
      name: null,
      geo: null,
      data: { plan: "gold" },
    },
    contexts: {
      runtime: { name: "CPython", version: "3.12.3", type: "runtime" },
      organization: { id: "77", type: "default" },
      trace: { trace_id: "a".repeat(32), span_id: "b".repeat(16), type: "trace" },
    },
    sdk: { name: "sentry.python.django", version: "2.12.0" },
    context: { "sys.argv": ["manage.py", "runserver"] },
    packages: { django: "5.1.1", "sentry-sdk": "2.12.0" },
    type: "error",
    metadata: { type: "CheckoutFailed", value: "the cart is broken", filename: "app/cart.py", function: "checkout" },
    tags: [
      { key: "environment", value: "production", query: 'environment:"production"' },
      { key: "handled", value: "no" },
      { key: "level", value: "fatal" },
      { key: "logger", value: "shop" },
      { key: "release", value: "web@1.2.0" },
      { key: "server_name", value: "shop-1" },
      { key: "transaction", value: "/checkout" },
      { key: "user", value: "id:u-1" },
    ],
    platform: "python",
    dateReceived: "2026-11-21T09:15:31.000000Z",
    dateCreated: "2026-11-21T09:15:30.123456Z",
    errors: [],
    occurrence: null,
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
    crashFile: null,
    fingerprints: ["0".repeat(32)],
    groupingConfig: { id: "newstyle:2023-01-11", enhancements: "e" },
    release: { ...release("web@1.2.0"), lastCommit: null },
    userReport: {
      id: "3",
      eventID: eventId,
      name: "Ann",
      email: "ann@example.com",
      comments: "I only clicked once.",
      dateCreated: "2026-11-21T09:16:00Z",
      user: null,
      event: { id: eventId, eventID: eventId },
    },
    sdkUpdates: [],
    resolvedWith: [],
    nextEventID: newerId,
    previousEventID: olderId,
    ...fields,
  };
}

/** An event of another Faultline, which returns more than Sentry does. */
export function faultlineEvent(): JsonObject {
  const report = { id: eventId, eventID: eventId, name: "Ann", email: "", dateCreated: "2026-11-21T09:16:00Z" };
  return event2024({
    faultline: {
      trimmed: [{ part: "extra.cart", kept: 16_380, sent: 20_000, unit: "characters" }],
      feedback: [
        { ...report, comments: "I only clicked once." },
        { ...report, comments: "And again." },
      ],
      timeBound: { sent: "2026-01-03T10:00:00.000Z" },
    },
  });
}

/** A message of release 21.5: without a request, with `query` as text, and without the object of its release. */
export function message2021(fields: JsonObject = {}): JsonObject {
  return {
    id: eventId,
    groupID: "1002",
    eventID: eventId,
    projectID: "7",
    size: 900,
    entries: [{ type: "message", data: { formatted: "Payment refused" } }],
    dist: null,
    message: "Payment refused",
    title: "Payment refused",
    location: null,
    user: null,
    contexts: {},
    sdk: { name: "sentry.go", version: "0.10.0" },
    context: {},
    packages: {},
    type: "default",
    metadata: { title: "Payment refused" },
    tags: [
      { key: "level", value: "warning" },
      { key: "release", value: "shop@7" },
    ],
    platform: "go",
    dateReceived: "2026-11-21T09:00:01Z",
    errors: [],
    crashFile: null,
    culprit: "",
    dateCreated: "2026-11-21T09:00:00Z",
    fingerprints: ["1".repeat(32)],
    groupingConfig: { id: "newstyle:2019-10-29" },
    release: null,
    userReport: null,
    nextEventID: null,
    previousEventID: null,
    ...fields,
  };
}

/** An event in a list. */
export function eventSummary(fields: JsonObject = {}): JsonObject {
  const { id, groupID, eventID, projectID, message, title, location, culprit, user, tags, platform, dateCreated } =
    event2024();
  return {
    id: id ?? null,
    "event.type": "error",
    groupID: groupID ?? null,
    eventID: eventID ?? null,
    projectID: projectID ?? null,
    message: message ?? null,
    title: title ?? null,
    location: location ?? null,
    culprit: culprit ?? null,
    user: user ?? null,
    tags: tags ?? null,
    platform: platform ?? null,
    dateCreated: dateCreated ?? null,
    crashFile: null,
    metadata: null,
    ...fields,
  };
}

/** A project in the list of projects. */
export function project(fields: JsonObject = {}): JsonObject {
  return {
    id: "7",
    slug: "web",
    name: "Web",
    isPublic: false,
    isBookmarked: false,
    color: "#3fbfa1",
    dateCreated: "2021-05-01T00:00:00Z",
    firstEvent: null,
    features: ["releases"],
    status: "active",
    platform: "javascript",
    isInternal: false,
    isMember: true,
    hasAccess: true,
    avatar: { avatarType: "letter_avatar", avatarUuid: null },
    organization: {
      id: "2",
      slug: "acme",
      status: { id: "active", name: "active" },
      name: "Acme",
      dateCreated: "2021-04-01T00:00:00Z",
      isEarlyAdopter: false,
    },
    ...fields,
  };
}
