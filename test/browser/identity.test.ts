// limit: 240 s
import { Backend, ErrorStatus, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { accessibilityTree, type AccessibleNode } from "../support/console/accessibility-tree.ts";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { personPassword } from "../support/core/person.ts";
import { reported } from "../support/run/reported.ts";
import { envelope, sendEnvelope, sendEvent, type Target } from "../support/sentry/send.ts";
import { rootPassword, rootToken, startServer, type Server } from "../support/service/server.ts";

/**
 * The user interface is identical for both backends (specification 1.3). Two installations show the same errors: one
 * stores them, the other reads them from the first as its external system. What a screen reader gets of each page is
 * compared whole: roles, names, states and order, and where links lead.
 */

const path = "acme/web";
const list = `/${path}/-/error_tracking`;
const widths = [1280, 360];
const hourMs = 3_600_000;

interface Difference {
  readonly role: string;
  readonly name: string;
  readonly reason: string;
}

/** The differences that may be, with their content and reason. Any other is a fault. */
const documented: readonly Difference[] = [
  { role: "link", name: "Open in external system", reason: "only an external error has a page elsewhere" },
  { role: "group", name: "Client key", reason: "only an event that is stored here is known by the key it came with" },
  { role: "group", name: "Place", reason: "an external system does not say how many events it keeps" },
  { role: "group", name: "Came back", reason: "an external system does not say when an error was resolved" },
];

/** The same form, on one side as it is stored, on the other with another choice that is not saved. */
const documentedInSettings: readonly Difference[] = [
  { role: "StaticText", name: "Unsaved changes", reason: "the choice was made on one side a moment ago" },
  { role: "region", name: "Data Source Name (DSN)", reason: "events are sent to where errors are stored" },
  { role: "region", name: "Storage", reason: "what is stored here alone has limits" },
  { role: "region", name: "Inbound filters", reason: "what is sent here alone can be kept out" },
  { role: "region", name: "Client keys", reason: "a key lets applications send events to where errors are stored" },
];

/** Values that name the installation, and what stands for them. */
const values: readonly { readonly of: RegExp; readonly as: string; readonly reason: string }[] = [
  {
    of: /http:\/\/127\.0\.0\.1:\d+/g,
    as: "<address>",
    reason: "each installation has its own, and links to the other",
  },
  {
    of: /(?<=[?&]cursor=)[^&#\s]+/g,
    as: "<place>",
    reason: "each backend notes a place in a list in its own way",
  },
];

interface Side {
  readonly server: Server;
  readonly client: GrpcClient;
  readonly browser: TestBrowser;
  readonly page: Page;
}
let integrated: Side;
let external: Side;
let errors: readonly { readonly errorId: string; readonly title: string }[];

test.before(
  reported(async () => {
    const stores = await startServer();
    const client = grpcClient(stores);
    const { project } = await client.projects.createProject({ path, name: "Web shop" }, client.auth);
    const projectId = project?.projectId ?? 0;
    await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
    const target = { id: projectId, key: clientKeys[0]?.publicKey ?? "" };
    for (const event of events()) {
      const answer = await sendEvent(stores, target, event);
      assert.is(answer.status, 200, answer.text);
    }
    await comesBack(stores, client, target);
    for (const comments of ["It broke.\nTwice.", "And again."]) {
      const about = { event_id: eventId(2), name: "Ann", email: "ann@h.example", comments };
      const feedback = await sendEnvelope(stores, target, envelope(eventId(2), [{ type: "user_report" }, about]));
      assert.is(feedback.status, 200, feedback.text);
    }
    integrated = await sideOf(stores, client);
    ({ errors } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth));

    const reads = await startServer({
      env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: new URL(stores.url).port },
    });
    external = await sideOf(reads, grpcClient(reads));
    await external.client.projects.createProject({ path, name: "Web shop" }, client.auth);
    await external.client.settings.updateSettings({ projectId, active: true, ...link(stores) }, client.auth);
  }),
);
test.after(async () => {
  for (const side of [external, integrated]) {
    await side?.browser.close();
    side?.client.close();
    await side?.server.stop();
  }
});
test.after.each(
  reported(async () => {
    for (const { browser } of [integrated, external]) assert.equal(browser.complaints.splice(0), []);
  }),
);

/** Resolves an error, which then happens again. */
async function comesBack(server: Server, client: GrpcClient, target: Target): Promise<void> {
  const { errors: found } = await client.errors.listErrors(
    { projectId: target.id, query: "TimeoutError" },
    client.auth,
  );
  const changes = found.map(({ errorId }) => ({ errorId, status: ErrorStatus.RESOLVED }));
  await client.errors.updateErrors({ projectId: target.id, changes }, client.auth);
  const again = await sendEvent(server, target, timeoutError(40, 0));
  assert.is(again.status, 200, again.text);
}

const link = ({ url }: Server) => ({
  backend: Backend.EXTERNAL,
  externalApiUrl: url,
  externalAuthToken: rootToken,
  externalProject: { id: "1", slug: "web", name: "Web shop", organizationSlug: "acme", organizationName: "acme" },
});

async function sideOf(server: Server, client: GrpcClient): Promise<Side> {
  const browser = await openBrowser(server);
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  await browser.context.addCookies([
    { name: "faultline_session", value: sessionToken, url: server.url },
    { name: "faultline_frames", value: "all", url: server.url },
  ]);
  return { server, client, browser, page: browser.page };
}

interface Options {
  readonly differences?: readonly Difference[];
  /** Of the two sides; default the administrator's. */
  readonly pages?: readonly Page[];
}

/** Opens a page on both sides and compares what they expose; `prepare` brings it into the state that is meant. */
async function sameTree(
  address: string,
  prepare: (page: Page) => Promise<void>,
  { differences = documented, pages = [integrated.page, external.page] }: Options = {},
): Promise<void> {
  for (;;) {
    const hour = Math.floor(Date.now() / hourMs);
    const [stored = [], read = []] = await Promise.all(pages.map((page) => treesOf(page, address, prepare)));
    if (hour !== Math.floor(Date.now() / hourMs)) continue; // the one was asked in the hour before the other
    for (const [index, width] of widths.entries()) {
      const [ours = [], theirs = []] = [stored[index], read[index]];
      assert.ok(ours.length > 30, "the page has content");
      assert.equal(told(theirs, ours, differences), told(ours, theirs, differences), `${address} at ${width} px`);
    }
    return;
  }
}

/** The content that a page exposes at each width. */
async function treesOf(page: Page, address: string, prepare: (page: Page) => Promise<void>) {
  const trees: AccessibleNode[][] = [];
  for (const [index, width] of widths.entries()) {
    await page.setViewportSize({ width, height: 800 });
    if (index === 0) {
      await page.goto(address);
      await prepare(page);
    }
    trees.push(await accessibilityTree(page));
  }
  return trees;
}

/** The tree as text. What is disabled on one side is compared by role and name alone. */
function told(
  tree: readonly AccessibleNode[],
  other: readonly AccessibleNode[],
  differences: readonly Difference[],
): string {
  const key = ({ role, name }: AccessibleNode) => `${role} "${name}"`;
  const off = new Set([...tree, ...other].filter(({ disabled }) => disabled).map(key));
  const lines = without(differences, tree).map((node) => {
    const more = off.has(key(node)) ? [] : [node.states, node.description, node.leadsTo];
    return `${" ".repeat(node.depth)}${[key(node), ...more].filter((part) => part !== "").join(" | ")}`;
  });
  return values.reduce((text, { of, as }) => text.replace(of, as), lines.join("\n"));
}

function without(differences: readonly Difference[], tree: readonly AccessibleNode[]): AccessibleNode[] {
  let leftOut = Infinity;
  return tree.filter((node) => {
    if (node.depth > leftOut) return false;
    const found = differences.some(({ role, name }) => role === node.role && name === node.name);
    leftOut = found ? node.depth : Infinity;
    return !found;
  });
}

const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();

/** Waits for the panel that loads after the page, and opens whatever can be opened, but for the raw JSON: it is what each system answers by itself. */
async function opened(page: Page): Promise<void> {
  await live(page);
  await page.getByRole("heading", { level: 4, name: /^Users/ }).waitFor();
  const all = "main details:not([aria-labelledby=raw] details)";
  await page.evaluate(`for (const one of document.querySelectorAll("${all}")) one.open = true`);
}

const errorNamed = (title: string) => {
  const found = errors.find((error) => error.title.startsWith(title));
  assert.ok(found, `no error ${title} among ${errors.map((one) => one.title).join(", ")}`);
  return `${list}/${found.errorId}`;
};

for (const query of ["", "?status=all", "?status=all&sort=events", "?status=all&sort=first_seen", "?status=resolved"]) {
  test(`the list ${query} is the same`, () => sameTree(list + query, live));
}
for (const q of [
  "Payment",
  "level:warning",
  "release:shop@2.0.0",
  "region:eu-west",
  "environment:staging",
  "nothing",
]) {
  test(`the search for ${q} is the same`, () => sameTree(`${list}?${new URLSearchParams({ status: "all", q })}`, live));
}

test("the details of an error with a chain of exceptions, many frames and everything around it are the same", () =>
  sameTree(`${errorNamed("PaymentError")}/details`, opened));

test("the users and tags of that error are the same", () => sameTree(`${errorNamed("PaymentError")}/users`, live));

test("the details of its oldest event and of one between are the same", async () => {
  await sameTree(`${errorNamed("PaymentError")}/details?event=oldest`, opened);
  await sameTree(`${errorNamed("PaymentError")}/details?event=${eventId(1)}&period=7d`, opened);
});

test("the details of a message without a stack are the same", () =>
  sameTree(`${errorNamed("Stock is low")}/details?period=90d`, opened));

test("the details of an error that came back, of which the last-seen label does not tell all yet, are the same", async () => {
  await sameTree(`${errorNamed("TimeoutError")}/details`, opened);
  await sameTree(`${list}?${new URLSearchParams({ q: "TimeoutError" })}`, live);
});

test("the details of events of which more was sent than is shown, of a bounded time, and of threads, are the same", async () => {
  await sameTree(`${errorNamed("RangeError")}/details`, opened);
  await sameTree(`${errorNamed("stopped")}/details`, opened);
});

test("the next page of a list, and the page before that one, are the same", async () => {
  for (const turns of [["Next ›"], ["Next ›", "‹ Previous"]]) {
    await sameTree(list, async (page) => {
      for (const name of turns) {
        await page.getByRole("link", { name }).click();
        await page.getByRole("link", { name: name === "Next ›" ? "‹ Previous" : "Next ›" }).waitFor();
      }
      await live(page);
    });
  }
});

test("a Reporter, who may change nothing, is told the same", async () => {
  const pages = await Promise.all(
    [integrated, external].map(async ({ client, browser, server }) => {
      const { user } = await client.users.createUser({ username: "rita", password: personPassword }, client.auth);
      await client.members.addMember({ projectId: 1, userId: user?.userId ?? 0, role: Role.REPORTER }, client.auth);
      const { sessionToken } = await client.accounts.signIn({ username: "rita", password: personPassword });
      const page = await browser.anotherPage();
      await page.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
      return page;
    }),
  );
  await sameTree(list, live, { pages });
  await sameTree(`${errorNamed("PaymentError")}/details`, opened, { pages });
});

test("the details of an event that nobody has are the same", () =>
  sameTree(`${errorNamed("PaymentError")}/details?event=${"f".repeat(32)}`, live));

test("the events of an error are the same, all and those of an hour", async () => {
  await sameTree(`${errorNamed("PaymentError")}/events`, live);
  const from = new Date(Math.floor(startedAt / hourMs - 2) * hourMs).toISOString();
  await sameTree(`${errorNamed("PaymentError")}/events?from=${from}`, live);
});

test("an error that was resolved here is shown alike on both sides", async () => {
  const changes = [
    { errorId: errors.find(({ title }) => title.startsWith("Stock"))?.errorId ?? "", status: ErrorStatus.RESOLVED },
  ];
  await external.client.errors.updateErrors({ projectId: 1, changes }, external.client.auth);
  await sameTree(`${errorNamed("Stock is low")}/details`, opened);
  await sameTree(`${list}?status=all`, live);
});

test("the settings are the same form, whichever backend was chosen", async () => {
  // What was entered for the external backend stays there while the integrated one is chosen.
  const { client } = integrated;
  await client.settings.updateSettings({ projectId: 1, active: true, ...link(external.server) }, client.auth);
  await client.settings.updateSettings({ projectId: 1, backend: Backend.INTEGRATED }, client.auth);
  for (const backend of ["External", "Integrated"]) {
    await sameTree(
      `/${path}/-/settings/monitor`,
      async (page) => {
        await page.getByRole("radio", { name: backend }).check();
        await page.getByLabel("External API URL").waitFor({ state: backend === "External" ? "visible" : "hidden" });
      },
      { differences: documentedInSettings },
    );
  }
});

const startedAt = Date.now();
const eventId = (index: number) => index.toString(16).padStart(32, "a");

/** Three events of one error with all that an event can have, and one each of others. */
function* events(): Generator<Record<string, unknown>> {
  const frame = (name: string, lineno: number, inApp: boolean) => ({
    filename: inApp ? "src/cart.js" : "node_modules/express/lib/router.js",
    abs_path: inApp ? "/srv/app/src/cart.js" : "/srv/app/node_modules/express/lib/router.js",
    module: inApp ? "cart" : "express.router",
    function: name,
    lineno,
    colno: 9,
    in_app: inApp,
    pre_context: ["function charge(card) {", "  const limit = card.limit;"],
    context_line: "  if (limit < total) throw new PaymentError(card.name);",
    post_context: ["  return bank.charge(card, total);", "}"],
    vars: { card: { name: "amex", limit: 650 }, total: 700, tried: [1, 2], nothing: null },
  });
  const common = (hoursAgo: number) => ({
    timestamp: startedAt / 1000 - hoursAgo * 3600,
    platform: "node",
    sdk: { name: "sentry.javascript.node", version: "7.38.0" },
  });
  for (const [index, hoursAgo] of [5, 2, 2].entries()) {
    yield {
      ...common(hoursAgo - index / 100),
      event_id: eventId(index),
      level: "error",
      release: index === 0 ? "shop@1.0.0" : "shop@2.0.0",
      environment: "staging",
      server_name: "web-1",
      transaction: "POST /checkout",
      logger: "checkout",
      exception: {
        values: [
          {
            type: "TypeError",
            value: "limit is undefined",
            module: "cart",
            mechanism: { type: "chained", handled: true, exception_id: 1, parent_id: 0, source: "cause" },
            stacktrace: { frames: [frame("router", 88, false), frame("readCard", 11, true)] },
          },
          {
            type: "PaymentError",
            value: "card refused",
            mechanism: { type: "onunhandledrejection", handled: false, exception_id: 0 },
            stacktrace: {
              frames: [
                frame("handle", 88, false),
                frame("next", 90, false),
                frame("checkout", 4, true),
                frame("charge", 21, true),
              ],
            },
          },
        ],
      },
      user: { id: `47${index}`, username: "ada", email: "ada@example.com", ip_address: "203.0.113.7", plan: "gold" },
      tags: { region: "eu-west", browser: "Chrome 131" },
      breadcrumbs: [
        {
          timestamp: startedAt / 1000 - 20_000,
          type: "http",
          category: "http",
          level: "info",
          message: "GET /cart",
          data: { url: "/cart", status_code: 200 },
        },
        { timestamp: startedAt / 1000 - 19_990, category: "ui.click", message: "Pay", level: "warning" },
      ],
      request: {
        url: "https://shop.example/checkout",
        method: "POST",
        query_string: "step=2&coupon=x",
        headers: { "User-Agent": "Mozilla/5.0", Accept: "text/html" },
        cookies: { theme: "dark" },
        data: { card: "amex" },
        env: { REMOTE_ADDR: "203.0.113.7" },
      },
      contexts: {
        runtime: { name: "node", version: "v26.10.0" },
        os: { name: "Linux", version: "6.1" },
        cart: { items: 3, nested: { deep: true } },
      },
      extra: { list: ["a", "b"], attempt: index },
      modules: { express: "4.18.2" },
    };
  }
  yield {
    ...common(3),
    event_id: eventId(16),
    level: "warning",
    logger: "stock",
    logentry: { message: "Stock is low: %s left", params: ["3"], formatted: "Stock is low: 3 left" },
    tags: { region: "us-east" },
  };
  yield {
    ...common(26),
    event_id: eventId(17),
    level: "fatal",
    platform: "python",
    exception: { values: [{ type: "MemoryError", value: "heap\nsecond line" }] },
    user: { ip_address: "203.0.113.8" },
  };
  // More than is shown of each part, and longer ago than an event may be.
  yield {
    ...common(100 * 24),
    event_id: eventId(18),
    level: "info",
    exception: {
      values: [
        {
          type: "RangeError",
          value: "v".repeat(9_000),
          stacktrace: {
            frames: Array.from({ length: 300 }, (_, index) => frame(`call${index}`, index + 1, index % 2 === 0)),
          },
        },
      ],
    },
    breadcrumbs: Array.from({ length: 150 }, (_, index) => ({
      timestamp: startedAt / 1000 - 15_000 - index,
      message: `step ${index}`,
    })),
    tags: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tag${index}`, `value ${index}`])),
    extra: { long: "e".repeat(20_000) },
  };
  yield {
    ...common(6),
    event_id: eventId(19),
    level: "debug",
    platform: "java",
    message: "stopped",
    threads: {
      values: [
        { id: 1, name: "main", crashed: true, current: true, stacktrace: { frames: [frame("run", 3, true)] } },
        { id: 2, name: "pool-1", stacktrace: { frames: [frame("await", 9, false)] } },
      ],
    },
  };
  // Happened also in the running hour, whose events the last-seen label does not follow yet.
  yield timeoutError(38, 5.3);
  yield timeoutError(39, 2.3);
  for (let index = 0; index < 55; index++) {
    yield {
      ...common(30 + index / 10),
      event_id: eventId(100 + index),
      exception: { values: [{ type: `ParseError${index}`, value: `line ${index}` }] },
    };
  }
}

function timeoutError(index: number, hoursAgo: number): Record<string, unknown> {
  return {
    event_id: eventId(index),
    timestamp: Date.now() / 1000 - hoursAgo * 3600,
    platform: "ruby",
    release: `shop@${index}`,
    exception: { values: [{ type: "TimeoutError", value: "no answer" }] },
    user: { id: `${index}` },
  };
}

test.run();
