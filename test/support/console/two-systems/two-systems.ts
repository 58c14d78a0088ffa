import { Backend, ErrorStatus, NotificationLevel, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../../core/grpc.ts";
import { personPassword } from "../../core/person.ts";
import { reported } from "../../run/reported.ts";
import { envelope, sendEnvelope, sendEvent, type Target } from "../../sentry/send.ts";
import { rootPassword, rootToken, startServer, type Server } from "../../service/server.ts";
import { openBrowser, type TestBrowser } from "../browser.ts";
import { eventId, events, timeoutError } from "./events.ts";
import { sameTree, type Difference } from "./same-tree.ts";

const path = "acme/web";

export interface Side {
  readonly server: Server;
  readonly client: GrpcClient;
  readonly browser: TestBrowser;
  /** The administrator's page. */
  readonly page: Page;
}

/** Two installations that show the same errors: one stores them, the other reads them from the first. */
export interface TwoSystems {
  readonly integrated: Side;
  readonly external: Side;
  /** The path of the project's pages, and the path of its list of errors. */
  readonly path: string;
  readonly list: string;
  readonly errors: readonly { readonly errorId: string; readonly title: string }[];
  /** The path of the error with a title that begins like this. */
  errorNamed(title: string): string;
  /** Compares a complete page of both installations. */
  sameTree(address: string, prepare: (page: Page) => Promise<void>, differences?: readonly Difference[]): Promise<void>;
  /** Pages of a Reporter of the project, who cannot change anything. */
  reporterPages(): Promise<Page[]>;
}

/** Starts both for all tests of a file, and stops them at its end. Await it before the first test. */
export async function twoSystems(): Promise<TwoSystems> {
  const stores = await startServer();
  const client = grpcClient(stores);
  const { project } = await client.projects.createProject({ path, name: "Web shop" }, client.auth);
  const projectId = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
  await notifyNobody(client, projectId);
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
  const integrated = await sideOf(stores, client);
  const { errors } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth);

  const reads = await startServer({
    env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: new URL(stores.url).port },
  });
  const external = await sideOf(reads, grpcClient(reads));
  await external.client.projects.createProject({ path, name: "Web shop" }, client.auth);
  await external.client.settings.updateSettings({ projectId, active: true, ...link(stores) }, client.auth);
  await notifyNobody(external.client, projectId);

  endAfterTests([external, integrated]);
  const list = `/${path}/-/error_tracking`;
  return {
    integrated,
    external,
    path,
    list,
    errors,
    errorNamed: (title) => {
      const found = errors.find((error) => error.title.startsWith(title));
      assert.ok(found, `no error ${title} among ${errors.map((one) => one.title).join(", ")}`);
      return `${list}/${found.errorId}`;
    },
    sameTree: (...visit) => sameTree([integrated.page, external.page], ...visit),
    reporterPages: () => Promise.all([integrated, external].map(reporterPage)),
  };
}

/**
 * Turns notifications off, because the number of unread entries in the frame of each page depends on what happened, not
 * on the page.
 */
async function notifyNobody({ notificationPreferences, auth }: GrpcClient, projectId: number): Promise<void> {
  await notificationPreferences.updateNotificationLevel({ projectId, level: NotificationLevel.NONE }, auth);
}

function endAfterTests(sides: readonly Side[]): void {
  test.after.each(
    reported(async () => {
      for (const { browser } of sides) assert.equal(browser.complaints.splice(0), []);
    }),
  );
  test.after(async () => {
    for (const { browser, client, server } of sides) {
      await browser.close();
      client.close();
      await server.stop();
    }
  });
}

/** Resolves an error and sends it again. */
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

/** The settings of a project that reads its errors from the other installation. */
export const link = ({ url }: Server) => ({
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

async function reporterPage({ client, browser, server }: Side): Promise<Page> {
  const { user } = await client.users.createUser({ username: "rita", password: personPassword }, client.auth);
  await client.members.addMember({ projectId: 1, userId: user?.userId ?? 0, role: Role.REPORTER }, client.auth);
  const { sessionToken } = await client.accounts.signIn({ username: "rita", password: personPassword });
  const page = await browser.anotherPage();
  await page.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  return page;
}

/** Resolves when the page has loaded and follows changes. */
export const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();

/**
 * Waits for the panels that load after the page, and opens everything except the raw JSON and the reasons of a group,
 * because these differ between systems.
 */
export async function opened(page: Page): Promise<void> {
  await live(page);
  await page.getByRole("heading", { level: 4, name: /^Users/ }).waitFor();
  await page.getByRole("group", { name: "Notifications for this error" }).waitFor();
  const all = "main details:not([aria-labelledby=raw] details, [aria-labelledby=why-grouped] details)";
  await page.evaluate(`for (const one of document.querySelectorAll("${all}")) one.open = true`);
}
