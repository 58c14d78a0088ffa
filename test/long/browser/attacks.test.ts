// limit: 300 s
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Permission, Role } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { chromium, type Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { chromiumPath } from "../../support/console/chromium-path.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { type InertPage, inertPage } from "../../support/console/inert-page.ts";
import { packed, polyglotAt, polyglotEvent } from "../../support/sentry/polyglot-event.ts";
import { elsewhere, polyglots } from "../../support/sentry/polyglots.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { envelope, newEventId, post, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

/** Texts by applications, strangers with a DSN, and people of low rank, opened by an administrator. */

let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let home: string;
let details: string[];
let assertInert: InertPage["assertInert"];
let openInert: InertPage["openInert"];

/** Texts in a list of an event. */
const perEvent = 40;

/** Does what validation may refuse; what it takes is shown. */
async function accepted(calls: readonly (() => Promise<unknown>)[]): Promise<number> {
  let count = 0;
  for (const call of calls) {
    try {
      await call();
      count++;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  }
  return count;
}

async function fill(): Promise<void> {
  const { users, projects, members, memberRoles, accounts, errors, auth } = { ...client };
  const eventCount = Math.ceil(polyglots.length / perEvent);
  for (let number = 0; number < eventCount; number++) {
    const answer = await sendEvent(server, project, polyglotEvent(number, perEvent));
    assert.is(answer.status, 200, answer.text);
  }
  const listed = (await errors.listErrors({ projectId: project.id }, auth)).errors;
  assert.is(listed.length, eventCount, "each event is an error");
  details = listed.map(({ errorId }) => `${home}/error_tracking/${errorId}`);
  for (const text of packed(150)) {
    const answer = await sendEvent(server, project, {
      event_id: newEventId(),
      exception: {
        values: [{ type: text, value: text, stacktrace: { frames: [{ function: text, filename: text }] } }],
      },
      release: text,
      environment: text,
      user: { id: text },
    });
    assert.is(answer.status, 200, answer.text);
  }
  const now = new Date().toISOString();
  for (const text of packed(120).slice(0, 100)) {
    const attrs = { release: text, environment: text };
    const session = {
      sid: newEventId(),
      init: true,
      started: now,
      timestamp: now,
      status: "crashed",
      did: text,
      attrs,
    };
    await sendEnvelope(server, project, envelope(newEventId(), [{ type: "session" }, session]));
  }
  const { events } = await errors.listEvents({ projectId: project.id, errorId: listed[0]?.errorId ?? "" }, auth);
  const feedback = {
    event_id: events[0]?.eventId,
    name: polyglotAt(1),
    email: polyglotAt(2),
    comments: polyglots.slice(0, 60).join("\n"),
  };
  await sendEnvelope(server, project, envelope(newEventId(), [{ type: "user_report" }, feedback]));
  for (const text of polyglots.filter((one) => /^[ -~]{1,200}$/.test(one)).slice(0, 40)) {
    await post(server, { id: project.id, key: "f".repeat(32) }, "store", "{}", {
      "Content-Type": "application/json",
      "User-Agent": text,
    });
  }

  const names = packed(200);
  const taken = await accepted([
    ...names.map((name, index) => () => users.createUser({ username: `hostile-${index}`, name }, auth)),
    ...names.slice(0, 40).map((name, index) => async () => {
      await projects.createProject({ path: `hostile/${index}`, name }, auth);
    }),
    ...names
      .slice(0, 40)
      .map(
        (name) => () =>
          memberRoles.createMemberRole(
            { name, baseRole: Role.GUEST, permissions: [Permission.READ_ERROR_TRACKING] },
            auth,
          ),
      ),
    () => projects.updateProject({ projectId: project.id, name: names[0] ?? "" }, auth),
  ]);
  assert.ok(taken > 100, `${taken} names were taken`);
  const people = (await users.listUsers({ pageSize: 100 }, auth)).users.filter(({ username }) => username !== "root");
  await accepted(
    people.map(
      ({ userId }) =>
        () =>
          members.addMember({ projectId: project.id, userId, role: Role.GUEST }, auth),
    ),
  );
  const { sessionToken: token } = await accounts.signIn({
    username: "root",
    password: "correct horse battery staple",
    clientAddress: polyglotAt(3),
    userAgent: `${polyglotAt(4)} ${polyglotAt(5)}`,
  });
  await accepted(
    names.slice(0, 30).map((name) => () => accounts.createAccessToken({ name, scopes: ["api"] }, { token })),
  );
}

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
    project = await createProject(server);
    const key = { case: "projectId", value: project.id } as const;
    home = `/${(await client.projects.getProject({ key }, client.auth)).project?.path}/-`;
    await fill();
    browser = await openBrowser(server);
    ({ page, assertInert, openInert } = await inertPage(browser, server));
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await server?.stop();
});
test("the texts would run on a page that takes them for HTML", async () => {
  const naive = await (await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] })).newPage();
  try {
    naive.on("dialog", (dialog) => dialog.dismiss().catch(() => undefined));
    await naive.route(`**//${elsewhere}/**`, (route) => route.abort());
    const texts = JSON.stringify(polyglots.filter((text) => /<(img|svg|details|input)\b.*on/i.test(text)));
    await naive.evaluate(`for (const text of ${texts}) {
      document.body.append(Object.assign(document.createElement("div"), { innerHTML: text }));
    }`);
    await until("scripts to run", async () => (await naive.evaluate<number>("globalThis.taken ?? 0")) > 20);
  } finally {
    await naive.context().browser()?.close();
  }
  assert.ok(polyglots.length >= 500, `${polyglots.length} texts`);
});

test("A61, A62, A64, A65: hostile texts in an event are text on its page", async () => {
  for (const address of details) {
    await openInert(`${address}/details`);
    assert.match((await page.locator("main").textContent()) ?? "", /taken|etc\/passwd/, "the page shows such texts");
  }
});

test("A61, A64: hostile texts stay text when the parts of an event are opened by hand", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const address of details.slice(-2)) {
    await page.goto(`${address}/details`, { waitUntil: "networkidle" });
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    for (const button of await page.locator("main button[aria-expanded=false]").all()) {
      if (await button.isVisible()) await button.click();
    }
    await assertInert(address);
  }
});

test("A61: an event of 2,000 frames, 500 tags and a text of 64 kB is text on its page, which fits and has at most 4,000 elements", async () => {
  const frames = Array.from({ length: 2_000 }, (_, number) => ({
    filename: polyglotAt(number),
    function: polyglotAt(number + 1),
    lineno: number,
    in_app: true,
  }));
  const event_id = newEventId();
  const answer = await sendEvent(server, project, {
    event_id,
    exception: { values: [{ type: "Huge", value: polyglots.join(" ").slice(0, 64_000), stacktrace: { frames } }] },
    tags: Object.fromEntries(frames.slice(0, 500).map(({ filename }, number) => [`tag${number}`, filename])),
  });
  assert.is(answer.status, 200, answer.text);
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId: event_id }, client.auth);
  await openInert(`${home}/error_tracking/${event?.errorId}/details`);
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
  assert.ok(elements > 500 && elements <= 4_000, `${elements} elements`);
});

test("A61: hostile types, values, functions and files are text in the list of errors, page by page", async () => {
  await openInert(`${home}/error_tracking`);
  for (let pages = 1; ; pages++) {
    const next = page.getByRole("link", { name: /Next/ });
    if ((await next.count()) === 0) return assert.ok(pages > 1, "more than one page");
    await openInert((await next.first().getAttribute("href")) ?? "");
  }
});

test("A61: hostile texts are text on every other page that shows them", async () => {
  for (const address of [
    "/-/projects",
    "/-/profile/sessions",
    "/-/profile/personal_access_tokens",
    "/admin/users",
    "/admin/projects",
    "/admin/roles",
    "/admin/audit",
    "/admin/health",
    `${home}/error_tracking/releases`,
    `${home}/error_tracking/releases?period=24h`,
    `${home}/error_tracking/ingestion`,
    `${home}/error_tracking/get_started`,
    `${home}/project_members`,
    `${home}/settings/monitor`,
    `${home}/settings/general`,
    `${details.at(-1)}/events`,
    `${details[0]}/events`,
    `${details[0]}/details`,
  ]) {
    await openInert(address);
  }
});

test("A61: hostile texts are text on a page that is reached by a link, which the browser builds itself", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${home}/error_tracking`, { waitUntil: "networkidle" });
  await page.locator("main a[href*='/details']").first().click();
  await page.waitForURL(/\/details/);
  await page.waitForLoadState("networkidle");
  await assertInert("the page of an error");
  await page.goBack();
  await page.waitForLoadState("networkidle");
  await assertInert("the list");
});

test("A61: what an address holds is text on the page that shows it", async () => {
  for (const text of packed(1_200).map((one) => encodeURIComponent(one.toWellFormed().replaceAll("\u0000", "")))) {
    await openInert(`${home}/error_tracking?q=${text}`);
  }
  const [text = ""] = packed(400).map((one) => encodeURIComponent(one.toWellFormed()));
  for (const address of [
    `/admin/users?q=${text}`,
    `/admin/projects?q=${text}`,
    `${home}/project_members?q=${text}`,
    `${home}/error_tracking?status=${text}&sort=${text}&cursor=${text}`,
    `${home}/error_tracking/releases?release=${text}&environment=${text}&period=${text}`,
    `${home}/error_tracking/get_started?lang=${text}`,
    `/-/deprecations?area=${text}&state=${text}&release=${text}`,
    `/-/sign_in?return_to=${text}`,
    `/-/invitations/${text}`,
    `/-/password_resets/${text}`,
    `/${text}/-/error_tracking`,
    `/${text}`,
  ]) {
    await openInert(address);
  }
});

test("A63: no text ends the script that carries the data of a page", async () => {
  const cookie = (await browser.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  for (const address of [`${home}/error_tracking`, ...details.map((one) => `${one}/details`)]) {
    const { text } = await http(server.url + address, { headers: { Cookie: cookie } });
    const scripts = [...text.matchAll(/<script[\s>/][^]*?<\/script/gi)].map(([script]) => script);
    assert.is(scripts.length, 2, `${address}: the page has the script of early input and its own`);
    for (const script of scripts) assert.match(script, /^<script nonce="[^"]+">/);
    assert.is(text.match(/<\/script/gi)?.length, 2, address);
    assert.not.match(scripts.join(), /<!--|\u2028|\u2029/);
  }
});

test("A63: an event as it was sent is served as JSON that no page can run or frame", async () => {
  const cookie = (await browser.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const { events } = await client.errors.listEvents(
    { projectId: project.id, errorId: details.at(-1)?.split("/").at(-1) ?? "" },
    client.auth,
  );
  const raw = await http(`${server.url}${details.at(-1)}/events/${events[0]?.eventId}.json`, {
    headers: { Cookie: cookie },
  });
  assert.is(raw.status, 200);
  assert.match(raw.headers["content-type"] as string, /^application\/json/);
  assert.is(raw.headers["x-content-type-options"], "nosniff");
  assert.match(raw.headers["content-security-policy"] as string, "default-src 'none'");
});

test("A66: a page of another port, to which cookies go along, can change nothing", async () => {
  const name = async () => (await client.accounts.getCurrentUser({}, client.auth)).user?.name;
  const before = await name();
  const attacker = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<form id=f method=post enctype=text/plain action="${server.url}/-/trpc/accounts.updateProfile"><input name='{"name":"taken","x":"' value='"}'></form>
      <form id=g method=post action="${server.url}/-/profile/account?/profile"><input name=name value=taken><input name=email></form>
      <form id=h method=post action="${server.url}/-/sign_out"></form>`);
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`;
  try {
    await page.goto(address);
    const target = `${server.url}/-/trpc/accounts.updateProfile`;
    await page.evaluate(`(async () => {
      const body = '{"name":"taken"}';
      navigator.sendBeacon("${target}", body);
      navigator.sendBeacon("${target}", new Blob([body], { type: "text/plain" }));
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "TEXT/PLAIN"]) {
        await fetch("${target}", { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": type }, body }).catch(() => undefined);
      }
      await fetch("${target}", { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body }).catch(() => undefined);
      await fetch("${server.url}/-/sign_out", { method: "POST", mode: "no-cors", credentials: "include" }).catch(() => undefined);
      for (const tag of ["img", "script", "iframe"]) document.body.append(Object.assign(document.createElement(tag), { src: "${server.url}/-/projects" }));
    })()`);
    for (const form of ["f", "g", "h"]) {
      await page.goto(address);
      const [answer] = await Promise.all([page.waitForResponse(`${server.url}/**`), page.evaluate(`${form}.submit()`)]);
      assert.is(answer.status(), 403, form);
      await page.waitForURL(`${server.url}/**`);
    }
    assert.is(await name(), before);
    const own = await page.goto("/-/projects");
    assert.is(own?.status(), 200, "and nobody was signed out");
    assert.match(page.url(), "/-/projects");
  } finally {
    attacker.close();
  }
});

test.run();
