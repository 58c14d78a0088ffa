// limit: 180 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { readCaptures, replay } from "../../support/sentry/capture.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";

/** The first screen of an error, for what the real SDKs sent. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;

test.before(
  reported(async () => {
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const tracking = ({ path }: Project) => `/${path}/-/error_tracking`;

interface Raised {
  readonly capture: string;
  /** The line of code that raised it. */
  readonly line: string;
}

/**
 * Replays the captures of each SDK into a separate project. Returns the events with the source of the raising line, by
 * their pages.
 */
async function eventsWithSource(): Promise<Map<string, Raised>> {
  const projects = new Map<string, Project>();
  const found = new Map<string, Raised>();
  for (const capture of readCaptures()) {
    if (capture.eventIds.length === 0) continue;
    const sdk = capture.name.split("/")[0] ?? "";
    const project = projects.get(sdk) ?? (await createProject(server));
    projects.set(sdk, project);
    assert.is((await replay(server, project, capture)).status, 200, capture.name);
    for (const eventId of capture.eventIds) {
      const { event } = await core.errors.getEvent({ projectId: project.id, eventId }, core.auth);
      const frames = (event?.exceptions.at(-1) ?? event?.threads[0])?.frames ?? [];
      const first = frames.findLast(({ inApp }) => inApp) ?? frames.at(-1);
      if (!first?.contextLine) continue;
      const address = `${tracking(project)}/${event?.errorId}/details?event=${eventId}`;
      found.set(address, { capture: capture.name, line: first.contextLine.trim() });
    }
  }
  return found;
}

test("the line that raised the error is on the first screen of 1280 by 800 px, for each SDK that sends source", async () => {
  const events = await eventsWithSource();
  assert.ok(events.size >= 14, `${events.size} events have source`);
  const lines: [capture: string, bottom: number][] = [];
  for (const [address, { capture, line }] of events) {
    await page.goto(address);
    const shown = page.locator(".erroring").filter({ hasText: line }).first();
    const box = await shown.boundingBox();
    lines.push([capture, Math.round((box?.y ?? Infinity) + (box?.height ?? 0))]);
  }
  const table = lines.map(([capture, bottom]) => `${bottom} ${capture}`).join("\n");
  assert.ok(
    lines.every(([, bottom]) => bottom <= 800),
    `the bottom of the line, in px:\n${table}`,
  );
});

test.run();
