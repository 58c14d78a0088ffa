import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { fakeExternal, type FakeAnswer, type FakeExternal } from "../../support/external/fake-external.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { personPassword } from "../../support/core/person.ts";
import { reported } from "../../support/run/reported.ts";
import { selfSigned } from "../../support/service/certificates.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

/** Settings > Monitor as a Maintainer uses it with an external system that answers, or does not. */

const failed = "Connection failed. Check auth token and try again";
const idle = "After adding your auth token, select Connect to load projects.";
const projects = ["shop", "web", "worker"].map((slug, n) => ({
  id: `${11 + n}`,
  slug,
  name: slug,
  organization: "acme",
  status: "active",
}));
const many = Array.from({ length: 60 }, (_, n) => ({
  id: `${100 + n}`,
  slug: `service-${n}`,
  name: `Service ${n}`,
  organization: "acme",
  status: "active",
}));

let external: FakeExternal;
let large: FakeExternal;
let selfMade: FakeExternal;
let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let token: string;
const addresses: string[] = [];

test.before(
  reported(async () => {
    const payload = { exception: { values: [{ type: "PaymentError", value: "card refused" }] } };
    const issues = [{ type: "PaymentError", value: "card refused", events: [{ payload }] }];
    external = await fakeExternal({ projects, issues });
    large = await fakeExternal({ projects: many });
    selfMade = await fakeExternal({ tls: selfSigned() });
    server = await startServer({
      env: {
        FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
        FAULTLINE_OUTBOUND_PORTS: `${external.port},${large.port},${selfMade.port}`,
      },
    });
    client = grpcClient(server);
    browser = await openBrowser(server);
    page = browser.page;
    page.on("request", (request) => addresses.push(request.url()));
    token = external.newToken();
    const { user } = await client.users.createUser({ username: "mia", password: personPassword }, client.auth);
    const { sessionToken } = await client.accounts.signIn({ username: "mia", password: personPassword });
    await browser.signIn(sessionToken);
    for (const path of ["acme/web", "acme/shop", "acme/plain", "acme/many"]) {
      const { project } = await client.projects.createProject({ path }, client.auth);
      const member = { projectId: project?.projectId ?? 0, userId: user?.userId ?? 0, role: Role.MAINTAINER };
      await client.members.addMember(member, client.auth);
    }
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await server?.stop();
  await external?.close();
  await large?.close();
  await selfMade?.close();
});
test.after.each(
  reported(async () => {
    external.answerAsUsual();
    assert.equal(browser.complaints.splice(0), []);
  }),
);

async function openSettings(path: string, tab = page): Promise<void> {
  const answer = await tab.goto(`/${path}/-/settings/monitor`);
  assert.is(answer?.status(), 200);
  await tab.getByRole("heading", { level: 1, name: "Monitor settings" }).waitFor();
  await until("the scripts", () =>
    tab.evaluate<boolean>(
      "document.querySelector('#external_auth_token + button, #external_auth_token ~ button[type=button]') !== null",
    ),
  );
}
const chooseExternal = () => page.getByRole("radio", { name: "External" }).check();
const field = (name: string) => page.getByLabel(name, { exact: true });
const connect = () => page.getByRole("button", { name: "Connect" }).click();
const save = () => page.getByRole("button", { name: "Save changes" }).click();

/** The browser reports the status of what is refused; that is no fault, all else is. */
async function forgive(status: number): Promise<void> {
  const isReport = (complaint: string) => complaint.includes(`status of ${status}`);
  await until("the browser's report", () => browser.complaints.some(isReport));
  assert.equal(
    browser.complaints.splice(0).filter((complaint) => !isReport(complaint)),
    [],
  );
}

test("the keyboard alone is enough: address, token, Enter connects, the project is chosen and saved", async () => {
  await openSettings("acme/web");
  await page.getByRole("checkbox", { name: "Active" }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.getByRole("radio", { name: "External" }).isChecked());
  await page.getByText(idle).waitFor();
  await page.getByText("Select Connect to load the projects.").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.type(external.url);
  await page.keyboard.press("Tab");
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
  await page.getByText("Connected. 3 projects found.").waitFor();
  await page.keyboard.press("Tab"); // Connect
  await page.keyboard.press("Tab");
  assert.equal(await field("Project").locator("option").allTextContents(), [
    "Select project",
    "Acme Works | shop",
    "Acme Works | web",
    "Acme Works | worker",
  ]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Saved.").waitFor();
});

test("saved settings are used: the list shows the error of the external system", async () => {
  await page.goto("/acme/web/-/error_tracking");
  await page.getByRole("link", { name: "PaymentError: card refused" }).waitFor();
});

test("the token is in no address and, once saved, not in the page; it shows as stored", async () => {
  await openSettings("acme/web");
  assert.not((await page.content()).includes(token));
  assert.equal(
    addresses.filter((address) => address.includes(token)),
    [],
  );
  assert.is(await field("Auth Token").inputValue(), "");
  assert.is(await field("Auth Token").getAttribute("placeholder"), "••••••••••••");
  assert.is(await field("Auth Token").getAttribute("readonly"), "");
  assert.is(await field("Project").locator("option:checked").textContent(), "Acme Works | shop");
});

test("the stored token connects again, and Replace asks for another one", async () => {
  await connect();
  await page.getByText("Connected. 3 projects found.").waitFor();
  assert.is(await field("Project").locator("option:checked").textContent(), "Acme Works | shop");
  await page.getByRole("button", { name: "Replace" }).click();
  assert.is(await page.evaluate("document.activeElement.id"), "external_auth_token");
  await page.keyboard.type("x");
  await page.getByText(idle).waitFor();
  assert.is(await field("Project").getAttribute("aria-disabled"), "true");
  await page.getByText("Select Connect to load the projects.").waitFor();
});

test("another address says that its token must be entered, and a look-up does not send the stored one", async () => {
  await openSettings("acme/web");
  await field("External API URL").fill(large.url);
  await page.getByText(`The stored token is for ${external.url}. Enter the token for this address.`).waitFor();
  assert.is(await page.getByRole("button", { name: "Replace" }).count(), 0);
  await connect();
  await page.getByText(failed, { exact: true }).waitFor();
  await page.getByText("The stored auth token belongs to another External API URL.").waitFor();
  await forgive(400);
  assert.not(large.saw(token));
  assert.is(await field("Project").locator("option:checked").textContent(), "Select project");
  await field("External API URL").fill(`${external.url}/`);
  await page.getByText("Needs project:read, event:read, event:write.").waitFor();
});

/** A page whose Connect gets no answer for ten seconds. The other tests continue. */
let waiting: Page;

test("a system that takes its time is waited for, and Connect says so", async () => {
  waiting = await browser.context.newPage();
  await openSettings("acme/web", waiting);
  const before = external.calls.length;
  external.answerWith(() => undefined, { on: /projects/, times: 1 });
  await waiting.getByRole("button", { name: "Connect" }).click();
  await waiting.getByRole("button", { name: "Connecting…" }).waitFor();
  await until("the look-up", () => external.calls.length > before);
});

const answers: [what: string, answer: FakeAnswer, status: number, cause: string, recorded: string][] = [
  [
    "refuses the token",
    { status: 401 },
    409,
    "refused the auth token. The token was mistyped",
    "Sentry response status code: 401",
  ],
  [
    "limits requests",
    { status: 429, headers: { "Retry-After": "7" } },
    429,
    "The external system limits requests. Try again in 7 s",
    "Sentry response status code: 429",
  ],
  ["fails", { status: 503 }, 409, "This address cannot be reached", "Sentry response status code: 503"],
  [
    "is a web page",
    { body: "<p>Sign in</p>" },
    409,
    "did not respond like an error-tracking system",
    "Unexpected Error",
  ],
  [
    "redirects",
    { status: 302, headers: { Location: "/elsewhere/" } },
    409,
    "did not respond like an error-tracking system",
    "Sentry response status code: 302",
  ],
];
for (const [what, answer, status, cause, recorded] of answers) {
  test(`a system that ${what} is explained below the one sentence`, async () => {
    await openSettings("acme/web");
    external.answerWith(answer);
    await connect();
    await page.getByText(failed, { exact: true }).waitFor();
    await page.getByText(cause).waitFor();
    assert.match(await page.locator(".outcome code").innerText(), recorded);
    assert.is(await field("Project").getAttribute("aria-disabled"), "true");
    await forgive(status);
  });
}

test("an address that is refused says what an operator can do", async () => {
  await openSettings("acme/web");
  await field("External API URL").fill("http://10.0.0.1");
  await field("Auth Token").fill("some-token");
  await connect();
  await page.getByText(failed, { exact: true }).waitFor();
  await page
    .getByText(/allow its network with FAULTLINE_OUTBOUND_NETWORKS and its port with FAULTLINE_OUTBOUND_PORTS/)
    .waitFor();
  await forgive(409);
  await browser.photograph("connect-refused");
});

test("an address with a certificate that nobody vouches for is explained", async () => {
  await openSettings("acme/web");
  await field("External API URL").fill(selfMade.url);
  await field("Auth Token").fill("some-token");
  await connect();
  await page.getByText(failed, { exact: true }).waitFor();
  await page.getByText("This address cannot be reached").waitFor();
  assert.is(await page.locator(".outcome code").innerText(), "Sentry returned invalid SSL data");
  assert.equal(selfMade.calls, [], "no token is sent");
  await forgive(409);
});

test("connecting can be cancelled, and what comes after is not shown", async () => {
  await openSettings("acme/web");
  const held = external.hold({ on: /projects/ });
  await connect();
  await until("the look-up", () => held.waiting() === 1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText(idle).waitFor();
  assert.is(await page.evaluate("document.activeElement.textContent.trim()"), "Connect");
  held.release();
  await page.waitForLoadState("networkidle");
  assert.ok(await page.getByText(idle).isVisible());
  await connect();
  await page.getByText("Connected. 3 projects found.").waitFor();
});

test("warnings stand below the success", async () => {
  await openSettings("acme/web");
  external.setScopes(["project:read", "event:read"]);
  await connect();
  await page.getByText("Connected. 3 projects found.").waitFor();
  await page.getByText("The token lacks event:write, so errors cannot be resolved from here.").waitFor();
  await browser.photograph("connect-warnings");
  external.setScopes(["project:read", "event:read", "event:write"]);
});

test("a saved project that is gone is named, and another one is chosen", async () => {
  await openSettings("acme/web");
  external.answerWith(
    {
      json: [{ id: "13", slug: "worker", name: "Worker", organization: { id: "1", slug: "acme", name: "Acme Works" } }],
    },
    { on: /^\/api\/0\/projects\/$/ },
  );
  await connect();
  await page.getByText("Connected. 1 project found.").waitFor();
  await page.getByText("Project “shop” is no longer available. Select another project to continue.").waitFor();
  await field("Project").selectOption({ label: "Acme Works | worker" });
  assert.is(await page.getByText("is no longer available").count(), 0);
});

test("an external project of another project is refused at its field, which gets the focus", async () => {
  await openSettings("acme/shop");
  await chooseExternal();
  await field("External API URL").fill(external.url);
  await field("Auth Token").fill(token);
  await connect();
  await page.getByText("Connected. 3 projects found.").waitFor();
  await field("Project").selectOption({ label: "Acme Works | shop" });
  await save();
  await page.getByText("Another project of this installation is linked to this external project.").waitFor();
  await forgive(409);
  assert.is(await page.evaluate("document.activeElement.id"), "external_project");
  assert.is(await field("Auth Token").inputValue(), token, "what was typed is kept");
  assert.not.match(await page.locator("main").innerText(), "acme/web");
  await browser.photograph("connect-taken");
  await field("Project").selectOption({ label: "Acme Works | web" });
  await save();
  await page.getByText("Saved.").waitFor();
});

test("more than 50 projects are searched by typing, and an unknown one is not saved", async () => {
  await openSettings("acme/many");
  await chooseExternal();
  await field("External API URL").fill(large.url);
  await field("Auth Token").fill(large.newToken());
  await connect();
  await page.getByText("Connected. 60 projects found.").waitFor();
  assert.is(await field("Project").evaluate((input) => input.tagName), "INPUT");
  assert.is(await page.locator("datalist option").count(), 60);
  await field("Project").fill("acme/nothing");
  await save();
  assert.is(
    await field("Project").evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage),
    "Choose one of the listed projects.",
  );
  await field("Project").fill("acme/service-42");
  await browser.photograph("connect-many");
  await save();
  await page.getByText("Saved.").waitFor();
  const { settings } = await client.settings.getSettings({ projectId: await projectIdOf("acme/many") }, client.auth);
  assert.is(settings?.externalProject?.id, "142");
});

async function projectIdOf(path: string): Promise<number> {
  const { project } = await client.projects.getProject({ key: { case: "path", value: path } }, client.auth);
  return project?.projectId ?? 0;
}

test("without scripts address and token are saved first; then Connect, the project and a save", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto("/acme/plain/-/settings/monitor");
  await plain.getByRole("radio", { name: "External" }).check();
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByLabel("External API URL").fill(external.url);
  assert.match(await plain.locator("main").innerText(), "Without JavaScript, save the address and the token first");
  await plain.getByLabel("Auth Token").fill(token);
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByText("Saved.").waitFor();
  await plain.getByRole("button", { name: "Connect" }).click();
  await plain.getByText("Connected. 3 projects found.").waitFor();
  await plain.getByLabel("Project", { exact: true }).selectOption({ label: "Acme Works | worker" });
  await plain.getByRole("checkbox", { name: "Active" }).check();
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByText("Saved.").waitFor();
  const { settings } = await client.settings.getSettings({ projectId: await projectIdOf("acme/plain") }, client.auth);
  assert.ok(settings?.active);
  assert.is(settings.externalProject?.slug, "worker");
  await plain.getByRole("button", { name: "Connect" }).waitFor();
  external.answerWith({ status: 401 });
  await plain.getByRole("button", { name: "Connect" }).click();
  await plain.getByText(failed, { exact: true }).waitFor();
});

test("Get started says to use the external project's DSN, and counts what is read from there", async () => {
  await page.goto("/acme/web/-/error_tracking/get_started");
  await page.getByText("Configure your SDK with the external project's DSN.").waitFor();
  await page.getByText("First error received: PaymentError: card refused").waitFor();
  assert.is(await page.getByText("npm install").count(), 0);
  assert.match(await page.getByTestId("arrivals").innerText(), "Received 1");
  await browser.photograph("get-started-external");
});

test("a system that gave no answer in ten seconds is explained below the same sentence", async () => {
  await waiting.getByText(failed, { exact: true }).waitFor();
  await waiting.getByText("This address cannot be reached").waitFor();
  assert.is(await waiting.locator(".outcome code").innerText(), "Sentry request failed due to ReadTimeout");
  await waiting.close();
});

test("with Monitor off the same sentence appears, and the cause says where to turn it on", async () => {
  const projectId = await projectIdOf("acme/web");
  await client.projects.updateProject({ projectId, monitorEnabled: false }, client.auth);
  await openSettings("acme/web");
  await connect();
  await page.getByText(failed, { exact: true }).waitFor();
  await page
    .getByText("Monitor is turned off for this project. Turn it on in Settings > General, then connect again.")
    .waitFor();
  await forgive(404);
  const lookup = await page.evaluate<[number, string]>(
    `fetch("/acme/web/-/error_tracking/projects.json").then(async (answer) => [answer.status, await answer.text()])`,
  );
  assert.equal(lookup, [404, ""]);
  await forgive(404);
  await client.projects.updateProject({ projectId, monitorEnabled: true }, client.auth);
});

test("a system that is down ends in the same sentence", async () => {
  await openSettings("acme/web");
  await external.close();
  try {
    await connect();
    await page.getByText(failed, { exact: true }).waitFor();
    await page.getByText("This address cannot be reached").waitFor();
    assert.is(await page.locator(".outcome code").innerText(), "Connection refused");
    await forgive(409);
  } finally {
    await external.comeBack();
  }
});

test("the external systems had nothing to object to", () => {
  assert.equal([...external.complaints, ...large.complaints], []);
});

test.run();
