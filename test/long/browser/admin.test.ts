// limit: 180 s
import { Permission, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { errorReceiver, type ErrorReceiver } from "../../support/external/error-receiver.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { stretched } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

const annsPassword = "a horse that reads the paper";

/** Another system that the failures of the installation may go to. */
let receiver: ErrorReceiver;
let server: Server;
let core: GrpcClient;
let browser: TestBrowser;
let page: Page;
/** The page of a user who is no administrator. */
let anns: Page;
/** The address with which ann sets her password, as the administration shows it. */
let link: string;

test.before(
  reported(async () => {
    receiver = await errorReceiver();
    const env = {
      FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
      FAULTLINE_OUTBOUND_PORTS: new URL(receiver.dsn).port,
    };
    server = await startServer({ env });
    core = grpcClient(server);
    browser = await openBrowser(server);
    ({ page } = browser);
    const project = await createProject(server);
    const answer = await sendStore(server, project, { event_id: newEventId(), message: "for the bar of this hour" });
    assert.is(answer.status, 200, answer.text);
    await signIn(page, "root", rootPassword);
  }),
);
test.after(async () => {
  core?.close();
  await browser?.close();
  await server?.stop();
  await receiver?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const heading = (name: string | RegExp, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
const statusShows = (text: string | RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();
const row = (text: string) => page.getByRole("row").filter({ hasText: text });
const button = (name: string) => page.getByRole("button", { name, exact: true });

async function signIn(on: Page, username: string, password: string): Promise<void> {
  await on.goto("/-/sign_in");
  await on.getByLabel(/^User ?name/i).fill(username);
  await on.getByLabel("Password", { exact: true }).fill(password);
  await on.getByRole("button", { name: "Sign in" }).click();
  await on.waitForURL((url) => url.pathname !== "/-/sign_in");
}

/** A page of somebody who is not signed in yet. */
async function newPerson(): Promise<Page> {
  const context = await browser.context.browser()?.newContext({ baseURL: server.url });
  if (!context) throw new Error("the browser is gone");
  context.setDefaultTimeout(stretched(10_000));
  return context.newPage();
}

test("a new user gets a link that is shown once, sets a password with it, and signs in", async () => {
  await page.goto("/admin/users");
  await page.getByText("Optional. Used to sign in and for e-mails, if this installation sends any.").waitFor();
  await heading("Users");
  await page.getByLabel("User name", { exact: true }).fill("ann");
  await page.getByLabel("Name", { exact: true }).fill("Ann Archer");
  await page.getByLabel("E-mail", { exact: true }).fill("ann@example.com");
  await button("Create user").click();
  link = (await page.getByTestId("new-link").textContent())?.trim() ?? "";
  assert.match(link, `${server.url}/-/password_resets/`);
  await browser.photograph("admin-user-created");
  await page.reload();
  assert.is(await page.getByTestId("new-link").count(), 0);

  anns = await newPerson();
  await anns.goto(link);
  await anns.getByLabel("New password", { exact: true }).fill(annsPassword);
  await anns.getByRole("button", { name: "Set password" }).click();
  await signIn(anns, "ann", annsPassword);
  await heading("Projects", anns);
});

test("a name that another user has is refused at its field", async () => {
  await page.goto("/admin/users");
  await page.getByLabel("User name", { exact: true }).fill("Ann");
  await button("Create user").click();
  await page.locator("#username-error").waitFor();
  assert.is(await page.getByLabel("User name", { exact: true }).inputValue(), "Ann");
  browser.complaints.length = 0; // the browser reports the refusal's status
});

const addresses = {
  "/admin/health": "Health",
  "/admin/users": "Users",
  "/admin/projects": "All projects",
  "/admin/roles": "Custom roles",
  "/admin/audit": "Audit log",
  "/admin/error_reporting": "Error reporting",
};

test("/admin leads an administrator to the health of the installation", async () => {
  await page.goto("/admin");
  await heading("Health");
  assert.is(new URL(page.url()).pathname, "/admin/health");
});

for (const [path, name] of Object.entries(addresses))
  test(`${path} opens for administrators and fits`, async () => {
    assert.is((await page.goto(path))?.status(), 200);
    await heading(name);
    await browser.photograph(`admin${path.replace("/admin", "").replaceAll("/", "-")}`);
  });

for (const path of ["/admin", "/admin/users/1", "/admin/-/error_tracking", ...Object.keys(addresses)])
  test(`${path} does not exist for other users`, async () => {
    const answer = await anns.goto(path);
    assert.is(answer?.status(), 404);
    await heading("Page not found", anns);
  });

test("a form of the administration is refused to other users", async () => {
  const posted = await anns.request.post("/admin/users?/create", {
    form: { username: "eve" },
    headers: { Origin: server.url },
  });
  assert.ok([403, 404].includes(posted.status()), `${posted.status()}`);
  await page.goto("/admin/users?q=eve");
  await page.getByText("No users match").waitFor();
});

test("health counts the event of this hour and names the release", async () => {
  await page.goto("/admin/health");
  const oldest = page
    .getByRole("definition")
    .filter({ hasText: "Today; events are kept for 90 days after they are received" });
  await oldest.waitFor();
  assert.is(await page.getByText("Oldest event received", { exact: true }).count(), 1);
  assert.is(await page.getByText("Oldest stored day").count(), 0); // its events may be from longer ago
  await page.getByText("Ready: events that arrive now are stored.").waitFor();
  await page
    .getByRole("figure", { name: /Events per hour/ })
    .getByText(/1 event in 24 hours/)
    .waitFor();
  await page.getByText("Platform release").waitFor();
});

test("health names the project whose events were refused, and leads to the reasons", async () => {
  const closed = await createProject(server);
  await core.settings.updateSettings({ projectId: closed.id, active: false }, core.auth);
  const { status } = await sendStore(server, closed, { event_id: newEventId(), message: "refused" });
  assert.is(status, 403);
  await page.goto("/admin/health");
  await row(closed.path).getByText("error tracking not active").waitFor();
  await browser.photograph("admin-health-refused");
  await row(closed.path).getByRole("link", { name: closed.path }).click();
  await page.waitForURL(`**/${closed.path}/-/error_tracking/ingestion`);
  await row("error tracking not active").waitFor();
});

test("the encryption key is rotated, and the page says how many secrets wait", async () => {
  await page.goto("/admin/health");
  await button("Rotate encryption key").click();
  await statusShows(/\d+ stored secrets? waits?\s+to\s+be\s+encrypted again/);
  await browser.photograph("admin-health-rotating");
});

test("the users are searched and paged in the address", async () => {
  await page.goto("/admin/users");
  await page.getByRole("searchbox", { name: "Search users" }).fill("arch");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/q=arch/);
  await until("only who was searched", async () => (await row("root").count()) === 0);
  await row("ann@example.com").waitFor();
  assert.is(new URL(page.url()).searchParams.get("q"), "arch");
});

test("one's own account can be neither blocked nor deleted nor made a normal user, and the page says why", async () => {
  await page.goto("/admin/users/1");
  await page.getByText("This is your own account").waitFor();
  for (const name of ["Block", "Make normal user", "Delete"]) assert.ok(await button(name).isDisabled(), name);
  await browser.photograph("admin-user-own");
});

test("blocking a user ends the session, and unblocking lets the user sign in again", async () => {
  await page.goto("/admin/users");
  await page.getByRole("link", { name: "Ann Archer" }).click();
  await heading("Ann Archer");
  await browser.photograph("admin-user");
  await button("Block").click();
  await page.getByText(/^⊘?blocked$/).waitFor();
  await anns.goto("/-/projects");
  await heading("Sign in", anns);
  await button("Unblock").click();
  await page.getByText(/^✓?active$/).waitFor();
  await signIn(anns, "ann", annsPassword);
  await heading("Projects", anns);
});

test("a user is made an administrator and a normal user again", async () => {
  await button("Make administrator").click();
  await button("Make normal user").waitFor();
  assert.is((await anns.goto("/admin/health"))?.status(), 200);
  await button("Make normal user").click();
  await button("Make administrator").waitFor();
  assert.is((await anns.goto("/admin/health"))?.status(), 404);
});

test("a project is made, deleted when its path was typed, and restored", async () => {
  await page.goto("/admin/projects");
  await page.getByLabel("Name", { exact: true }).fill("Acme / Web");
  await button("Create project").click();
  await statusShows("The project acme/web was created.");
  await row("acme/web").getByText("not set up").waitFor();
  await row("acme/web").getByRole("link", { name: "Delete acme/web" }).click();
  await page.getByLabel("Type the path acme/web to continue").fill("acme");
  await browser.photograph("admin-project-delete");
  await button("Delete acme/web").click();
  await page.getByText("This is not acme/web. Nothing was deleted.").waitFor();
  browser.complaints.length = 0; // the browser reports the refusal's status
  await page.getByLabel("Type the path acme/web to continue").fill("acme/web");
  await button("Delete acme/web").click();
  await statusShows("The project acme/web was deleted.");
  await button("Restore acme/web").waitFor();
  await browser.photograph("admin-project-deleted");
  assert.is(await page.getByRole("link", { name: "acme/web", exact: true }).count(), 0);
  await button("Restore acme/web").click();
  await statusShows("The project acme/web was restored.");
  await page.getByRole("link", { name: "acme/web", exact: true }).waitFor();
});

test("a project is not restored while another has its path, and the page says what to do", async () => {
  const { auth } = core;
  const first = await core.projects.createProject({ path: "twice" }, auth);
  await core.projects.deleteProject({ projectId: first.project?.projectId ?? 0 }, auth);
  await core.projects.createProject({ path: "twice" }, auth);
  await page.goto("/admin/projects");
  await button("Restore twice").click();
  await page.getByRole("alert").filter({ hasText: "Another project now has this path." }).waitFor();
  browser.complaints.length = 0; // the browser reports the refusal's status
});

test("a custom role is made of a base role and what it adds, and deleted", async () => {
  await page.goto("/admin/roles");
  await page.getByLabel("Name", { exact: true }).fill("Release manager");
  await page.getByLabel("Description", { exact: true }).fill("Resolves errors and renames the project");
  await page.getByLabel("Base role").selectOption({ label: "Reporter" });
  await page.getByRole("checkbox", { name: /^Change the status of errors/ }).check();
  await page.getByRole("checkbox", { name: /^Read errors/ }).check(); // the base role has it, so it adds nothing
  await button("Create role").click();
  await statusShows("The role Release manager was created.");
  const made = row("Release manager");
  assert.equal(await made.getByRole("listitem").allTextContents(), ["Change the status of errors"]);
  assert.match((await made.textContent()) ?? "", "Reporter");
  await browser.photograph("admin-role-created");
  await made.getByRole("button", { name: "Delete Release manager" }).click();
  await statusShows("The role Release manager was deleted.");
});

test("a custom role that a member has is not deleted", async () => {
  const { auth } = core;
  const permissions = [Permission.UPDATE_ERROR_TRACKING];
  const role = { name: "Triage", baseRole: Role.REPORTER, permissions };
  const { memberRole } = await core.memberRoles.createMemberRole(role, auth);
  const memberRoleId = memberRole?.memberRoleId ?? 0;
  const { projects } = await core.projects.listProjects({ query: "acme/web" }, auth);
  const { users } = await core.users.listUsers({ username: "ann" }, auth);
  const member = { projectId: projects[0]?.projectId ?? 0, userId: users[0]?.userId ?? 0, memberRoleId };
  await core.members.addMember(member, auth);
  await page.goto("/admin/roles");
  await button("Delete Triage").click();
  await page.getByRole("alert").waitFor();
  await row("Triage").waitFor();
  await browser.photograph("admin-role-in-use");
  browser.complaints.length = 0; // the browser reports the refusal's status
});

test("the audit log shows who did what, and is filtered by user and project", async () => {
  await page.goto("/admin/audit");
  const acts = (await page.getByRole("row").allTextContents()).slice(1);
  assert.ok(
    acts.some(
      (act) => act.includes("root") && act.includes("acme/web") && act.includes("ProjectService.DeleteProject"),
    ),
    acts.join("\n"),
  );
  assert.ok(acts.some((act) => act.includes("root") && act.includes("UserService.CreateUser") && act.includes("ann")));
  assert.ok(!acts.some((act) => act.includes(annsPassword)));
  await browser.photograph("admin-audit-acts");

  await page.getByLabel("Project path").fill("acme/web");
  await button("Show these entries").click();
  await page.waitForURL(/project_id=\d+$/);
  await until("acts in acme/web alone", async () => {
    const shown = (await page.getByRole("row").allTextContents()).slice(1);
    return shown.length > 1 && shown.every((act) => act.includes("acme/web"));
  });

  await page.getByLabel("User name").fill("nobody");
  await button("Show these entries").click();
  await page.getByText("No user is called nobody.").waitFor();
  await page.getByLabel("User name").fill("ann");
  await page.getByLabel("Project path").fill("");
  await button("Show these entries").click();
  await page.waitForURL(/user_id=\d+$/);
  await until("acts of ann alone", async () => {
    const shown = (await page.getByRole("row").allTextContents()).slice(1);
    return shown.length > 1 && shown.every((act) => act.includes("ann"));
  });
});

test("users and acts beyond a page are on the next", async () => {
  for (let index = 10; index < 60; index++) await core.users.createUser({ username: `many-${index}` }, core.auth);
  await page.goto("/admin/users?q=many");
  assert.is(await row("many-").count(), 50);
  assert.is(await page.getByRole("link", { name: "Next" }).count(), 0);
  for (const [path, first] of [
    ["/admin/users", "root"],
    ["/admin/audit", "many-59"],
  ] as const) {
    await page.goto(path);
    await row(first).first().waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.waitForURL(/cursor=/);
    await until(`the second page of ${path}`, async () => (await row(first).count()) === 0);
    assert.ok((await page.getByRole("row").count()) > 1, path);
  }
});

test("an address that names no page of a list says so and leads to the first", async () => {
  assert.is((await page.goto("/admin/users?cursor=nonsense"))?.status(), 400);
  await heading("This page could not be loaded.");
  browser.complaints.length = 0; // the browser reports the refusal's status
  await page.getByRole("link", { name: "Start from the first page" }).click();
  await heading("Users");
});

/** The version of the external system on the page. */
const versionIs = (text: string) =>
  page
    .locator("dl.facts > div", { hasText: "Version of the external system" })
    .getByText(text, { exact: false })
    .waitFor();

test("the installation reports its own failures to one of its projects, and the DSN is masked", async () => {
  await page.goto("/admin/error_reporting");
  await page.getByRole("checkbox", { name: "Report failures of this installation" }).check();
  await page.getByRole("radio", { name: /^Use a project of this installation/ }).check();
  await page.getByLabel("Environment").fill("staging");
  await button("Save changes").click();
  await statusShows("Saved.");
  const stored = (await page.getByText("Stored DSN http").textContent()) ?? "";
  assert.match(stored, "127.0.0.1");
  assert.not.match(stored, /[0-9a-f]{32}/);
  assert.is(await page.getByLabel("Environment").inputValue(), "staging");
  await versionIs("not needed");
  await browser.photograph("admin-error_reporting-on");
});

test("a version of an external system before 21.5.0 is refused at its field", async () => {
  await page.getByLabel("DSN of an external system").fill("https://0123456789abcdef0123456789abcdef@errors.example/7");
  assert.ok(await page.getByRole("radio", { name: "Another DSN" }).isChecked());
  await page.getByLabel("Version of the external system").fill("21.4.1");
  await button("Save changes").click();
  const refusal = (await page.locator("#external_version-error").textContent()) ?? "";
  assert.match(refusal, "21.5.0");
  await browser.photograph("admin-error_reporting-refused");
  browser.complaints.length = 0; // the browser reports the refusal's status
});

test("the version that an external system reports is shown, and refused when it is too old, whatever is typed", async () => {
  const save = async (version: string) => {
    await page.goto("/admin/error_reporting");
    await page.getByLabel("DSN of an external system").fill(receiver.dsn);
    await page.getByLabel("Version of the external system").fill(version);
    await button("Save changes").click();
  };
  receiver.say({ config: { version: { current: "21.4.1" }, isSelfHosted: true } });
  await save("24.1.0");
  const refusal = (await page.locator("#external_version-error").textContent()) ?? "";
  assert.match(refusal, "Version 21.4.1 of the external system is not supported");
  assert.match(refusal, "so 24.1.0 is ignored");
  browser.complaints.length = 0; // the browser reports the refusal's status
  await browser.photograph("admin-error_reporting-overruled");

  receiver.say({ config: { version: { current: "24.9.0" }, isSelfHosted: true } });
  await save("");
  await statusShows("Saved.");
  await versionIs("24.9.0");
  await versionIs("as the system reports it");
  await browser.photograph("admin-error_reporting-asked");

  receiver.say({});
  await save("24.1.0");
  await statusShows("Saved.");
  await versionIs("as entered below");
  await save("");
  await statusShows("Saved.");
  await versionIs("unknown");
  await page.getByText("The version of the external system is unknown").waitFor();
  await browser.photograph("admin-error_reporting-unknown");
  assert.equal(receiver.complaints, []);
});

test("the deprecations are shown to everybody and filtered in the address", async () => {
  await anns.goto("/-/deprecations");
  await heading("Deprecations", anns);
  await page.goto("/-/deprecations");
  const notices = () => page.getByRole("region", { name: "Notices" }).locator("tbody tr").count();
  const all = await notices();
  assert.ok(all > 20, `${all}`);
  await browser.photograph("deprecations");
  await page.getByLabel("Interface").selectOption({ label: "GraphQL" });
  await page.waitForURL(/area=graphql/);
  const fewer = (than: number) => async () => {
    const shown = await notices();
    return shown > 0 && shown < than && shown;
  };
  const graphql = await until("fewer notices", fewer(all));
  await page.getByLabel("Release").selectOption({ label: "17.0" });
  await page.waitForURL(/release=17.0/);
  await until("fewer still", fewer(graphql));
  await page.goBack();
  await until("going back to show all releases", async () => (await page.getByLabel("Release").inputValue()) === "");
  await page.getByRole("link", { name: "Show all" }).click();
  await until("all interfaces", async () => (await page.getByLabel("Interface").inputValue()) === "");
  assert.is(await notices(), all);
  await page.goto("/-/deprecations#users-offset-pagination");
  const notice = page.locator("#users-offset-pagination");
  assert.match((await notice.textContent()) ?? "", "GET /users");
  assert.match((await notice.textContent()) ?? "", "17.0");
});

test("without scripts users and projects are made and deleted", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto("/admin/users");
  await plain.getByLabel("User name", { exact: true }).fill("bob");
  await plain.getByRole("button", { name: "Create user" }).click();
  await plain.getByTestId("new-link").waitFor();
  await plain.goto("/admin/users?q=bob");
  await plain.getByRole("link", { name: "bob" }).click();
  await plain.getByRole("link", { name: "Delete" }).click();
  await plain.getByLabel("Type the user name bob to continue").fill("rob");
  await plain.getByRole("button", { name: "Delete bob" }).click();
  await plain.getByText("This is not bob. Nothing was deleted.").waitFor();
  await plain.getByLabel("Type the user name bob to continue").fill("bob");
  await plain.getByRole("button", { name: "Delete bob" }).click();
  await plain.getByText("The user bob was deleted.").waitFor();

  await plain.goto("/admin/projects");
  await plain.getByLabel("Name", { exact: true }).fill("Shop");
  await plain.getByLabel("Path", { exact: true }).fill("plain/shop");
  await plain.getByRole("button", { name: "Create project" }).click();
  await plain.getByRole("link", { name: "Delete plain/shop" }).click();
  await plain.getByLabel("Type the path plain/shop to continue").fill("plain/shop");
  await plain.getByRole("button", { name: "Delete plain/shop" }).click();
  await plain.getByRole("button", { name: "Restore plain/shop" }).click();
  await plain.getByText("The project plain/shop was restored.").waitFor();
  await plain.context().close();
});

test("deleting a user ends the session", async () => {
  await page.goto("/admin/users");
  await page.getByRole("link", { name: "Ann Archer" }).click();
  await page.getByRole("link", { name: "Delete" }).click();
  await page.getByLabel("Type the user name ann to continue").fill("ann");
  await browser.photograph("admin-user-delete");
  await button("Delete ann").click();
  await statusShows("The user ann was deleted.");
  await anns.goto("/-/projects");
  await heading("Sign in", anns);
});

test.run();
