import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser } from "../support/console/browser.ts";
import { sharedServer } from "../support/service/flow.ts";

const { server } = await sharedServer();
const browser = await openBrowser(server);
test.after(() => browser.close());

test("the page of the REST API is readable in both themes, on a phone as well, and runs no script", async () => {
  const { page } = browser;
  const answer = await page.goto("/api/v4/docs");
  const policy = answer?.headers()["content-security-policy"] ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
  await browser.photograph("rest-api");
  assert.equal(browser.complaints, []);
});

test("it leads to each operation and shows how to call it here", async () => {
  const { page } = browser;
  await page.goto("/api/v4/docs");
  await page.getByRole("navigation").getByRole("link", { name: "Make a client key", exact: true }).click();
  assert.match(page.url(), /#createClientKey$/);
  const address = `${server.url}/api/v4/projects/<project>/error_tracking/client_keys`;
  assert.is(
    await page.locator("#createClientKey pre").innerText(),
    `curl --request POST --header "PRIVATE-TOKEN: <token>" "${address}"`,
  );
});

test.run();
