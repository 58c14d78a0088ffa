// limit: 90 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { createProject } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";

/** Pages for people who enlarge text, or choose their own colours (WCAG 1.4.4, 1.4.10; test 11 of the design). */

const { server, client } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let list: string;
let details: string;
let members: string;

test.before(
  reported(async () => {
    const project = await createProject(server);
    list = `/${project.path}/-/error_tracking`;
    members = `/${project.path}/-/project_members`;
    const exception = [{ type: "PaymentError", value: `card ${"refused".repeat(20)}`, stacktrace: { frames: [] } }];
    assert.is((await sendEvent(server, project, { event_id: newEventId(), exception })).status, 200);
    const [error] = await storedErrors(client, project.id);
    details = `${list}/${error?.errorId}/details`;
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});

const overflow = () =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

test("with text at 200 % no page scrolls sideways, on a desktop and at 640 px", async () => {
  for (const address of [list, details, members, `${list}/get_started`, "/-/projects", "/-/errors", "/-/profile"])
    for (const width of [1280, 640]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(address);
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      assert.is(await overflow(), 0, `${address} at ${width} px`);
    }
});

test("with the user's own colours, the chosen tab and period differ by more than the weight of their text", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ forcedColors: "active" });
  const looks = (name: string) =>
    page.evaluate<string>(`(() => {
      const link = [...document.querySelectorAll("main a")].find((one) => one.textContent.trim().startsWith("${name}"));
      const { borderBottomColor, backgroundColor } = getComputedStyle(link);
      return borderBottomColor + backgroundColor;
    })()`);
  await page.goto(list);
  assert.is.not(await looks("Unresolved"), await looks("Ignored"));
  await page.goto(details);
  assert.is.not(await looks("24 hours"), await looks("7 days"));
  await page.emulateMedia({ forcedColors: "none" });
});

test("nothing moves for people who ask for less motion", async () => {
  const moving = () =>
    page.evaluate<number>(`[...document.querySelectorAll("*")].filter((one) =>
      [null, "::before", "::after"].some((part) => {
        const { animationName, animationDuration, transitionDuration } = getComputedStyle(one, part);
        const lasts = (durations) => durations.split(", ").some((duration) => parseFloat(duration) > 0.01);
        return (animationName !== "none" && lasts(animationDuration)) || lasts(transitionDuration);
      })).length`);
  await page.goto(details);
  assert.ok((await moving()) > 0, "something moves for others");
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const address of [details, list, members, `${list}/get_started`, "/-/projects", "/-/errors", "/-/profile"]) {
    await page.goto(address);
    assert.is(await moving(), 0, address);
  }
  await page.emulateMedia({ reducedMotion: "no-preference" });
});

test.run();
