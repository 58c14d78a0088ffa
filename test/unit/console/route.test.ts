import { suite } from "uvu";
import * as assert from "uvu/assert";
import { returnPath, route } from "../../../console/src/lib/navigation/route.ts";

const origin = "https://console.example";

const routes = suite("routes");

const addresses: [address: string, expected: string][] = [
  [route.home(), "/"],
  [route.signIn(), "/-/sign_in"],
  [route.signIn("/a/-/x?q=1&b"), "/-/sign_in?return_to=%2Fa%2F-%2Fx%3Fq%3D1%26b"],
  [route.signOut(), "/-/sign_out"],
  [route.projects(), "/-/projects"],
  [route.preferences(), "/-/profile"],
  [route.notificationPreferences(), "/-/profile/notifications"],
  [route.notificationPreferences({ cursor: "c" }), "/-/profile/notifications?cursor=c"],
  [route.inbox(), "/-/inbox"],
  [route.inbox({ unread: true, cursor: "c" }), "/-/inbox?unread=1&cursor=c"],
  [route.accessTokens(), "/-/profile/personal_access_tokens"],
  [route.deprecations(), "/-/deprecations"],
  [route.deprecations({ release: "17.0", area: "rest", state: "" }), "/-/deprecations?release=17.0&area=rest"],
  [route.trpc(), "/-/trpc"],
  [route.admin(), "/admin"],
  [route.adminHealth(), "/admin/health"],
  [route.adminUsers(), "/admin/users"],
  [route.adminUsers({ q: "a b", cursor: "c", remove: 7 }), "/admin/users?q=a+b&cursor=c&remove=7"],
  [route.adminUser(7), "/admin/users/7"],
  [route.adminProjects({ remove: 7 }), "/admin/projects?remove=7"],
  [route.adminRoles(), "/admin/roles"],
  [route.adminAudit({ userId: 7, projectId: 42, cursor: "c" }), "/admin/audit?user_id=7&project_id=42&cursor=c"],
  [route.adminErrorReporting(), "/admin/error_reporting"],
  [route.errors("acme/web"), "/acme/web/-/error_tracking"],
  [route.errors("acme/web", { status: "unresolved", sort: "last_seen", q: "" }), "/acme/web/-/error_tracking"],
  [
    route.errors("acme/web", { status: "all", sort: "events", q: "a b", cursor: "c" }),
    "/acme/web/-/error_tracking?q=a+b&status=all&sort=events&cursor=c",
  ],
  [route.errorDetails("acme/web", "7"), "/acme/web/-/error_tracking/7/details"],
  [route.errorDetails("acme/web", "7", { period: "24h" }), "/acme/web/-/error_tracking/7/details"],
  [
    route.errorDetails("acme/web", "7", { event: "latest", period: "7d" }),
    "/acme/web/-/error_tracking/7/details?event=latest&period=7d",
  ],
  [route.errorEvents("acme/web", "7", { hours: 1 }), "/acme/web/-/error_tracking/7/events"],
  [
    route.errorEvents("acme/web", "7", { from: "2026-09-29T14:00:00.000Z", hours: 24 }),
    "/acme/web/-/error_tracking/7/events?from=2026-09-29T14%3A00%3A00.000Z&hours=24",
  ],
  [route.errorUsers("acme/web", "7"), "/acme/web/-/error_tracking/7/users"],
  [route.rawEvent("acme/web", "7", "9f"), "/acme/web/-/error_tracking/7/events/9f.json"],
  [route.getStarted("acme/web"), "/acme/web/-/error_tracking/get_started"],
  [route.getStarted("acme/web", "go"), "/acme/web/-/error_tracking/get_started?lang=go"],
  [route.monitorSettings("acme/web"), "/acme/web/-/settings/monitor"],
  [route.grouping("acme/web"), "/acme/web/-/settings/monitor/grouping"],
  [route.inboundFilters("acme/web"), "/acme/web/-/settings/monitor/inbound_filters"],
  [route.inboundFilters("acme/web", "messages"), "/acme/web/-/settings/monitor/inbound_filters#messages"],
  [route.trackers("acme/web", { add: "jira" }), "/acme/web/-/settings/trackers?add=jira"],
  [route.errorIssue("acme/web", "7"), "/acme/web/-/error_tracking/7/issue"],
  [route.notifications("acme/web"), "/acme/web/-/settings/notifications"],
  [route.notifications("acme/web", { add: "slack" }), "/acme/web/-/settings/notifications?add=slack"],
  [route.generalSettings("Acme_1/web.shop-2"), "/Acme_1/web.shop-2/-/settings/general"],
];

for (const [address, expected] of addresses) routes(expected, () => assert.is(address, expected));

/** Every address that holds something of the outside, made with `text` for all of it. */
const made = (text: string) => [
  route.signIn(text),
  route.errors(text, { q: text, cursor: text }),
  route.errorDetails(text, text, { event: text, period: text }),
  route.errorEvents(text, text, { from: text, cursor: text }),
  route.errorUsers(text, text),
  route.rawEvent(text, text, text),
  route.getStarted(text, text),
  route.monitorSettings(text),
  route.notifications(text, { add: text }),
  route.trackers(text, { add: text }),
  route.errorIssue(text, text),
  route.generalSettings(text),
];

const hostile = [
  "a?b=1#c",
  "#x",
  "a b",
  "a%2fb",
  "100%",
  'a"><script>',
  "a\\b",
  "//evil.example",
  "/evil.example",
  "javascript:alert(1)",
  "a&b=c",
  "東京",
  "\u202e",
  "a\tb\n",
];

for (const text of hostile) {
  routes(`${JSON.stringify(text)} stays within its place of every address`, () => {
    for (const address of made(text)) {
      const url = new URL(address, origin);
      assert.is(url.origin, origin, address);
      assert.is(`${url.pathname}${url.search}`, address); // nothing was dropped or read as something else
      assert.is(url.hash, "");
      for (const value of url.searchParams.values()) assert.is(value, text);
      assert.match(address, /^\/(?!\/)[\w.!~*'()%&?=+/-]+$/);
    }
  });
}

routes("a project path reads back from its address, slashes and all", () => {
  for (const path of ["acme/web", "a/b/c/d/e", "a?b/c#d", "100%/東京"]) {
    const [, written = ""] = /^\/(.*)\/-\//.exec(route.errors(path)) ?? [];
    assert.is(decodeURIComponent(written), path);
  }
});

routes("an id with slashes is one part", () => {
  assert.is(route.errorDetails("a", "../x/y"), "/a/-/error_tracking/..%2Fx%2Fy/details");
});

routes.run();

const returning = suite("return path");

for (const path of ["/", "/acme/web/-/error_tracking?q=a%20b#c", "/東京", "/.//evil.example", "/a\u202eb"]) {
  returning(`${JSON.stringify(path)} is a path of this site`, () => {
    assert.is(returnPath(path), path);
    assert.is(new URL(path, origin).origin, origin);
  });
}

for (const path of [
  null,
  "",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\\evil.example",
  "\t//evil.example",
  " //evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "evil",
  "/a\r\nLocation: x",
]) {
  returning(`${JSON.stringify(path)} leads to the start page`, () => assert.is(returnPath(path), "/"));
}

returning.run();
