import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

/** "Why is this grouped?" on the page of an error, and the comparison with another error. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let tracking: string;
let pay: string;
let refund: string;

const frames = (last: string) => [
  ...Array.from({ length: 12 }, (_, n) => ({
    module: `django.core.handlers.step${n}`,
    function: "call",
    in_app: false,
  })),
  { module: "shop.views.checkout.with.a.long.name.of.many.parts", function: "view", in_app: true },
  { module: "shop.cart", function: last, context_line: `    charge(customer,   amount)`, in_app: true },
];

/** Stores an event; the id of its error. */
async function stored(last: string): Promise<string> {
  const eventId = newEventId();
  const value = `order 4711 was refused`;
  const exception = { values: [{ type: "PaymentError", value, stacktrace: { frames: frames(last) } }] };
  const answer = await sendEvent(server, project, { event_id: eventId, platform: "python", exception });
  assert.is(answer.status, 200, answer.text);
  return (await core.errors.getEvent({ projectId: project.id, eventId }, core.auth)).event?.errorId ?? "";
}

test.before(
  reported(async () => {
    project = await createProject(server);
    tracking = `/${project.path}/-/error_tracking`;
    [pay, refund] = [await stored("pay"), await stored("refund")];
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

const panel = () => page.getByRole("region", { name: "Why is this grouped?" });
const textOf = async (name: string) =>
  (await panel().getByRole("region", { name, exact: true }).innerText()).replaceAll(/\s+/g, " ");

test("the panel opens with the keyboard, and says first what counted, then what did not, and why", async () => {
  await page.goto(`${tracking}/${pay}/details`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const summary = panel().getByText("Show which parts of the event counted");
  assert.not.ok(asked.some((url) => url.includes("explainGrouping")));
  await summary.focus();
  await page.keyboard.press("Enter");
  await panel().getByRole("heading", { name: "Not counted" }).waitFor();
  assert.is(
    await textOf("Counted"),
    "Counted Platform Errors of two platforms are never the same. python Type The type of the exception counts. PaymentError Frames It is the application's code. shop.views.checkout.with.a.long.name.of.many.parts in view shop.cart in pay Source line The source line of the newest frame counts. charge(customer, amount) counts as charge(customer, amount)",
  );
  const leftOut = await textOf("Not counted");
  assert.match(leftOut, /^Not counted Frames It is not the application's code, and other frames are\. django/);
  assert.match(leftOut, /Show all 12 Text The place of the exception is known, .* order 4711 was refused$/);
  await panel().getByRole("button", { name: "Show all 12" }).press("Enter");
  assert.match(await textOf("Not counted"), /step11 in call/);
});

test("another error is compared by its id or address, and a wrong one is refused with a sentence", async () => {
  const field = panel().getByLabel("ID or address of the other error");
  await field.fill("the other one");
  await page.keyboard.press("Enter");
  await panel().getByText("Enter the ID of an error, such as 157").waitFor();
  await field.fill("999999999");
  await page.keyboard.press("Enter");
  await panel().getByText("This project has no error with that ID.").waitFor();
  assert.ok(browser.complaints.splice(0).every((one) => one.includes("404")));
  for (const name of [refund, `${server.url}${tracking}/${refund}/details?period=24h`]) {
    await field.fill(name);
    await page.keyboard.press("Enter");
    await panel().getByText("these parts count in only one of them").waitFor();
    assert.is(await panel().getByText("shop.cart in refund").count(), 1);
  }
  await panel().scrollIntoViewIfNeeded();
  await browser.photograph("why-grouped");
  await panel()
    .getByRole("link", { name: /PaymentError/ })
    .press("Enter");
  await page.waitForURL(new RegExp(`/${refund}/details`));
});

test("without scripts the panel is not there, and the page shows the event", async () => {
  const bare = await browser.pageWithoutScripts();
  await bare.goto(`${tracking}/${pay}/details`);
  await bare.getByText("shop.cart").first().waitFor();
  assert.not.ok(await bare.getByText("Show which parts of the event counted").isVisible());
  await bare.close();
});

test.run();
