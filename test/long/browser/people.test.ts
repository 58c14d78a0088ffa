// limit: 240 s
import { Permission, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

/** The pages about people: members, invitations, passwords, sessions and access tokens. */

const firstPassword = "six quiet lamps at noon";
const newPassword = "seven quiet lamps at noon";

let server: Server;
let core: GrpcClient;
let browser: TestBrowser;
let project: Project;
let path: string;
/** The administrator, who owns the project. */
let page: Page;
/** Ann, who comes by an invitation. */
let ann: Page;
let invitation: string;

test.before(
  reported(async () => {
    server = await startServer();
    core = grpcClient(server);
    project = await createProject(server);
    const key = { case: "projectId", value: project.id } as const;
    ({ path } = (await core.projects.getProject({ key }, core.auth)).project ?? { path: "" });
    const exception = { values: [{ type: "PaymentError", value: "card refused" }] };
    const answer = await sendStore(server, project, { event_id: newEventId(), platform: "node", exception });
    assert.is(answer.status, 200, answer.text);
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    ann = await browser.anotherPage();
  }),
);
test.after(async () => {
  await browser?.close();
  core?.close();
  await server?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const members = () => `/${path}/-/project_members`;
const errors = () => `/${path}/-/error_tracking`;
const heading = (on: Page, name: string | RegExp) => on.getByRole("heading", { level: 1, name }).waitFor();

async function signIn(on: Page, username: string, password: string): Promise<void> {
  if (!on.url().includes("/-/sign_in")) await on.goto("/-/sign_in");
  await on.getByLabel("User name or e-mail").fill(username);
  await on.getByLabel("Password", { exact: true }).fill(password);
  await on.getByRole("button", { name: "Sign in" }).click();
}

const sessionOf = async (on: Page) =>
  (await on.context().cookies()).find(({ name }) => name === "faultline_session")?.value ?? "";

const idOf = async (username: string) => (await core.users.listUsers({ username }, core.auth)).users[0]?.userId ?? 0;

async function roleOf(username: string): Promise<Role | undefined> {
  const request = { projectId: project.id, userId: await idOf(username) };
  return (await core.members.getMember(request, core.auth)).member?.role;
}

const statuses = async () =>
  (await core.errors.listErrors({ projectId: project.id }, core.auth)).errors.map(({ status }) => status);

test("a person signs in by the keyboard alone, and comes to the page they asked for", async () => {
  await page.goto(members());
  await heading(page, "Sign in");
  assert.is(await page.getByLabel("User name or e-mail").getAttribute("autocomplete"), "username");
  assert.is(await page.getByLabel("Password", { exact: true }).getAttribute("autocomplete"), "current-password");
  assert.is(await focused(page), "username", "the first field has the focus");
  await page.keyboard.type("root");
  await page.keyboard.press("Tab");
  await page.keyboard.type(rootPassword);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  assert.is(await page.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
  await browser.photograph("people-sign-in");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await heading(page, "Members");
});

test("signing in ends the session that the browser had before", async () => {
  const before = await sessionOf(page);
  await page.goto("/-/sign_in");
  await signIn(page, "root", rootPassword);
  await page.waitForURL((url) => !url.pathname.includes("sign_in"));
  assert.is.not(await sessionOf(page), before);
  const refused = await core.accounts.getCurrentUser({}, { token: before }).catch((error: unknown) => error);
  assert.instance(refused, Error);
});

for (const elsewhere of ["//evil.example", "/\\evil.example", "https://evil.example", "/%09/evil.example"])
  test(`signing in does not lead to ${elsewhere}`, async () => {
    const person = await browser.anotherPage();
    await person.goto(`/-/sign_in?return_to=${elsewhere}`);
    await signIn(person, "root", rootPassword);
    await heading(person, "Projects");
    assert.is(new URL(person.url()).origin, server.url);
    await person.context().close();
  });

test("the owner of a project is asked to invite people", async () => {
  await page.goto(members());
  await page.getByText("Only you so far. Invite people who fix errors.").waitFor();
  await page.getByText("None. An invitation is a link").waitFor();
  await browser.photograph("members-alone");
});

test("an invitation's link is shown once and copied", async () => {
  await page.getByLabel("For").fill("Ann from payments");
  await page.getByRole("button", { name: "Create invitation link" }).click();
  invitation = (await page.getByTestId("new-link").textContent()) ?? "";
  assert.match(invitation, new RegExp(`^${server.url}/-/invitations/\\S+$`));
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  assert.is(await page.evaluate<string>("navigator.clipboard.readText()"), invitation);
  await browser.photograph("members-invited");
  await page.reload();
  await page.getByRole("row", { name: /Ann from payments/ }).waitFor();
  assert.is(await page.getByTestId("new-link").count(), 0);
});

test("a new person registers by the link, reads errors and changes their status", async () => {
  await ann.goto(invitation);
  await heading(ann, `Join ${path}`);
  await ann.getByText("invited you as Developer").waitFor();
  await browser.photograph("invitation", ann);
  await ann.getByLabel("User name").fill("ann");
  await ann.getByLabel("Name", { exact: true }).fill("Ann Lee");
  await ann.getByLabel("E-mail").fill("ann@example.com");
  await ann.getByLabel("Password", { exact: true }).fill(firstPassword);
  await ann.getByRole("button", { name: "Create account and join" }).click();
  await ann.getByRole("link", { name: /PaymentError/ }).click();
  await heading(ann, /PaymentError/);
  await ann.getByRole("button", { name: /^Resolve/ }).click();
  await ann.getByRole("button", { name: /^Undo/ }).click();
  await ann.getByRole("button", { name: /^Resolve/ }).waitFor();
  assert.is(await roleOf("ann"), Role.DEVELOPER);
});

test("a Developer cannot open the settings, and sees which role can", async () => {
  const answer = await ann.goto(`/${path}/-/settings/monitor`);
  assert.is(answer?.status(), 403);
  await ann.getByText(`You need at least the Maintainer role in ${path}`).waitFor();
  browser.complaints.length = 0; // the browser reports the 403 itself
});

test("a Developer sees the members page with the controls disabled, and why", async () => {
  await ann.goto(members());
  await ann.getByText(`You need at least the Maintainer role in ${path} to invite`).first().waitFor();
  for (const role of await ann.getByRole("combobox").all()) assert.ok(await role.isDisabled());
  assert.ok(await ann.getByRole("button", { name: "Create invitation link" }).isDisabled());
  assert.ok(await ann.getByRole("button", { name: "Add member" }).isDisabled());
  assert.is(await ann.getByRole("row", { name: /Ann from payments/ }).count(), 0);
  await browser.photograph("members-as-developer", ann);
});

test("a link that was used says so in one sentence", async () => {
  const late = await browser.anotherPage();
  await late.goto(invitation);
  await heading(late, "This invitation is not valid");
  await late.getByText("This invitation was used or revoked, or has expired. Ask for a new one.").waitFor();
  await browser.photograph("invitation-used", late);
  await late.context().close();
});

test("people who become Reporters cannot resolve at the next click", async () => {
  await ann.goto(errors());
  await ann.getByRole("link", { name: /PaymentError/ }).click();
  await ann.getByRole("button", { name: /^Resolve/ }).waitFor();

  await page.goto(members());
  await page.getByLabel("Role of Ann Lee").selectOption({ label: "Reporter" });
  await page.getByText("Ann Lee now has the role Reporter.").waitFor();
  await browser.photograph("members-role-saved");

  const before = await statuses();
  await ann.getByRole("button", { name: /^Resolve/ }).click();
  await ann
    .getByText(/You need at least the Developer role/)
    .first()
    .waitFor();
  assert.equal(await statuses(), before);
  browser.complaints.length = 0; // the browser reports the 403 itself
});

test("a changed role is taken back by Undo", async () => {
  await page.getByRole("button", { name: /^Undo/ }).click();
  await until("Ann to be a Developer", async () => (await roleOf("ann")) === Role.DEVELOPER);
  const select = page.getByLabel("Role of Ann Lee");
  await until("the page to show it", async () => (await select.inputValue()) === "ROLE_DEVELOPER");
});

test("a role is chosen by the keyboard", async () => {
  await page.getByLabel("Role of Ann Lee").focus();
  await page.keyboard.press("ArrowUp");
  await until("Ann to be a Reporter", async () => (await roleOf("ann")) === Role.REPORTER);
  await page.getByText("Ann Lee now has the role Reporter.").waitFor();
  assert.is(await focused(page), "Role of Ann Lee");
});

test("the last owner can neither leave nor become less, and sees why", async () => {
  await page.goto(members());
  await page.getByRole("link", { name: "Leave" }).click();
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("alert").filter({ hasText: /owner/ }).waitFor();
  await browser.photograph("members-last-owner");
  await page.goto(members());
  await page.getByLabel(/^Role of Administrator/).selectOption({ label: "Guest" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: /owner/ }).waitFor();
  assert.is(await roleOf("root"), Role.OWNER);
  browser.complaints.length = 0; // the browser reports the 409 itself
});

test("a user is added by user name, and removed again after a question", async () => {
  await core.users.createUser({ username: "bob", name: "Bob", email: "bob@example.com" }, core.auth);
  await page.goto(members());
  await page.getByLabel("User name").fill("nobody");
  await page.getByRole("button", { name: "Add member" }).click();
  await page.getByText("No user has this user name.").waitFor();
  browser.complaints.length = 0; // the browser reports the 404 itself
  await page.getByLabel("User name").fill("bob");
  await page.getByRole("button", { name: "Add member" }).click();
  await page.getByText("Bob is a member now.").waitFor();
  await page.getByRole("link", { name: "Remove Bob" }).click();
  await page.getByRole("heading", { name: "Remove Bob?" }).waitFor();
  await browser.photograph("members-remove");
  await page.getByRole("button", { name: "Remove Bob" }).click();
  await page.getByText("Bob is no longer a member.").waitFor();
  assert.is(await page.getByRole("row", { name: /Bob/ }).count(), 0);
});

test("a custom role is given like any other", async () => {
  const role = { name: "Triage", description: "Reads and resolves.", baseRole: Role.REPORTER };
  await core.memberRoles.createMemberRole({ ...role, permissions: [Permission.UPDATE_ERROR_TRACKING] }, core.auth);
  await page.goto(members());
  await page.getByLabel("Role of Ann Lee").selectOption({ label: "Triage" });
  await page.getByText("Ann Lee now has the role Triage.").waitFor();
  await page.goto(members());
  assert.is(await page.locator('[aria-label="Role of Ann Lee"] option:checked').textContent(), "Triage");
  await page.getByText("Reads and resolves.").waitFor();
});

test("a revoked invitation no longer works", async () => {
  await page.getByRole("button", { name: "Create invitation link" }).click();
  const url = (await page.getByTestId("new-link").textContent()) ?? "";
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText("The invitation was revoked.").waitFor();
  const late = await browser.anotherPage();
  await late.goto(url);
  await heading(late, "This invitation is not valid");
  await late.context().close();
});

test("one's sessions are listed by browser and address, whatever the browser claims", async () => {
  const forged = await browser.anotherPage({ "x-faultline-client-address": "6.6.6.6", "x-forwarded-for": "7.7.7.7" });
  await signIn(forged, "ann@example.com", firstPassword);
  await forged.waitForURL((url) => !url.pathname.includes("sign_in"));
  await ann.goto("/-/profile/account/sessions");
  assert.is(await ann.getByRole("row", { name: /Chrome \d+ on Linux/ }).count(), 2);
  assert.is(await ann.getByRole("cell", { name: "127.0.0.1" }).count(), 2);
  await ann.getByText("This one").waitFor();
  await browser.photograph("sessions", ann);
  await ann.getByRole("button", { name: /^End/ }).click();
  await ann.getByText("The session was ended.").waitFor();
  await forged.goto(errors());
  await heading(forged, "Sign in");
  await forged.context().close();
});

test("signing out everywhere ends the other browser's session", async () => {
  const other = await browser.anotherPage();
  await signIn(other, "ann", firstPassword);
  await other.waitForURL((url) => !url.pathname.includes("sign_in"));
  await ann.goto("/-/profile/account/sessions");
  await ann.getByRole("button", { name: "Sign out everywhere" }).click();
  await heading(ann, "Sign in");
  await other.goto(errors());
  await heading(other, "Sign in");
  await other.context().close();
});

test("a password is set by a link, once, even in a browser with an expired session", async () => {
  const signedIn = { token: await sessionOf(page) }; // access tokens may not make such links
  const { url } = await core.users.createPasswordReset({ userId: await idOf("ann") }, signedIn);
  const stale = { name: "faultline_session", value: "fls_over", url: server.url };
  await ann.context().addCookies([stale]);
  const request = { name: "robot", scopes: ["api"] };
  const { sessionToken } = await core.accounts.signIn({ username: "ann", password: firstPassword });
  const robot = await core.accounts.createAccessToken(request, { token: sessionToken });
  await ann.goto(url);
  await heading(ann, "Set a new password");
  assert.ok(await ann.getByLabel("Revoke 1 personal access token too").isChecked(), "unless one decides otherwise");
  await browser.photograph("password-reset", ann);
  await ann.getByLabel("New password", { exact: true }).fill(newPassword);
  await ann.getByRole("button", { name: "Set password" }).click();
  await ann.getByText("Your new password is set. Sign in with it.").waitFor();
  await browser.photograph("password-was-set", ann);
  await rejects(core.accounts.getCurrentUser({}, { token: robot.token }), "UNAUTHENTICATED");
  await signIn(ann, "ann", firstPassword);
  await ann.getByRole("alert").filter({ hasText: "Wrong user name or password." }).waitFor();
  browser.complaints.length = 0; // the browser reports the 401 itself
  await signIn(ann, "ANN@example.com", newPassword);
  await ann.waitForURL((address) => !address.pathname.includes("sign_in"));
  const late = await browser.anotherPage();
  await late.goto(url);
  await heading(late, "This link is not valid");
  await browser.photograph("password-reset-used", late);
  await late.context().close();
});

test("one changes one's name, e-mail address and password", async () => {
  await ann.goto("/-/profile/account");
  await ann.getByLabel("Name", { exact: true }).fill("Ann Leigh");
  await ann.getByLabel("E-mail").fill("BOB@example.com");
  await ann.getByRole("button", { name: "Save changes" }).click();
  await ann.getByText("Another user has this e-mail address.").waitFor();
  browser.complaints.length = 0; // the browser reports the 409 itself
  await ann.getByLabel("E-mail").fill("leigh@example.com");
  await ann.getByRole("button", { name: "Save changes" }).click();
  await ann.getByText("Saved.").waitFor();
  await browser.photograph("account", ann);

  const before = await sessionOf(ann);
  const robot = await core.accounts.createAccessToken({ name: "robot", scopes: ["api"] }, { token: before });
  await ann.getByLabel("Current password", { exact: true }).fill("not the password");
  await ann.getByLabel("New password", { exact: true }).fill("eight quiet lamps at noon");
  await ann.getByRole("button", { name: "Change password" }).click();
  await ann.getByText("This is not your password.").waitFor();
  browser.complaints.length = 0; // the browser reports the 401 itself
  await ann.getByLabel("Current password", { exact: true }).fill(newPassword);
  await ann.getByLabel("New password", { exact: true }).fill("eight quiet lamps at noon");
  const revoking = ann.getByLabel("Also revoke my personal access tokens");
  assert.not(await revoking.isChecked(), "tokens stay unless one asks");
  await browser.photograph("change-password", ann);
  await revoking.check();
  await ann.getByRole("button", { name: "Change password" }).click();
  await ann.getByText("Your password was changed.").waitFor();
  await ann.getByText("and 1 personal access token revoked.").waitFor();
  await rejects(core.accounts.getCurrentUser({}, { token: robot.token }), "UNAUTHENTICATED");
  assert.is.not(await sessionOf(ann), before);
  await ann.goto("/-/profile/account");
  assert.is(await ann.getByLabel("Name", { exact: true }).inputValue(), "Ann Leigh");
});

test("a new access token is shown once, with a command that runs", async () => {
  await page.goto("/-/profile/personal_access_tokens");
  await page.getByLabel("Name", { exact: true }).fill("deploy");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = (await page.getByTestId("token").textContent()) ?? "";
  const curl = (await page.getByTestId("example").textContent()) ?? "";
  await browser.photograph("access-token-made");
  const [, header = "", sent = "", url = ""] = /^curl -H '([\w-]+): (\S+)' '(\S+)'$/.exec(curl) ?? [];
  assert.is(header, "PRIVATE-TOKEN");
  assert.is(sent, token);
  const answer = await http(url, { headers: { [header]: sent } });
  assert.is(answer.status, 200, answer.text);
  assert.match(answer.text, project.key);
  await page.reload();
  assert.is(await page.getByText(token).count(), 0);
});

test("a new token for uploads is also shown as Sentry's tools spell it, with commands for a build", async () => {
  await page.goto(`/${project.path}/-/error_tracking`); // the project visited last is the example
  await page.goto("/-/profile/personal_access_tokens");
  await page.getByLabel("Name", { exact: true }).fill("build");
  await page.getByText("Upload source maps from a build.").click();
  await page.getByRole("button", { name: "Create token" }).click();
  const token = (await page.getByTestId("token").textContent()) ?? "";
  const sentryToken = (await page.getByTestId("sentry-token").textContent()) ?? "";
  await browser.photograph("access-token-for-uploads");
  const [organization, ...rest] = project.path.split("/");
  const claims = JSON.parse(Buffer.from(sentryToken.split("_")[1] ?? "", "base64").toString()) as Record<
    string,
    unknown
  >;
  assert.equal([claims["url"], claims["org"]], [server.url, rest.length === 0 ? "-" : organization]);
  const commands = (await page.getByTestId("example").textContent()) ?? "";
  assert.match(commands, `export SENTRY_AUTH_TOKEN=${sentryToken}`);
  assert.match(commands, `export SENTRY_PROJECT=${rest.length === 0 ? project.path : rest.join("~")}`);
  for (const spelled of [token, sentryToken]) {
    const options = `${server.url}/api/0/organizations/${String(claims["org"])}/chunk-upload/`;
    const answer = await http(options, { headers: { Authorization: `Bearer ${spelled}` } });
    assert.is(answer.status, 200, answer.text);
  }
});

test("an access token is rotated: the old one stops, the new one works", async () => {
  await page.goto("/-/profile/personal_access_tokens");
  await page.getByRole("link", { name: "Rotate deploy" }).click();
  await page.getByRole("heading", { name: "Rotate deploy?" }).waitFor();
  await browser.photograph("access-token-rotate");
  await page.getByRole("button", { name: "Rotate deploy" }).click();
  const token = (await page.getByTestId("token").textContent()) ?? "";
  const { accessToken } = await core.accounts.getAccessToken({}, { token });
  assert.is(accessToken?.name, "deploy");
  await page.goto("/-/profile/personal_access_tokens");
  assert.is(await page.getByRole("row", { name: /deploy.*Revoked/ }).count(), 1);
  await page.getByRole("button", { name: "Revoke deploy" }).click();
  await page.getByText("The token “deploy” was revoked.").waitFor();
});

test("without scripts one signs in, accepts an invitation and changes a role", async () => {
  await core.users.createUser({ username: "carl", name: "Carl", password: newPassword }, core.auth);
  const request = { projectId: project.id, role: Role.GUEST };
  const { url } = await core.members.createInvitation(request, core.auth);
  const carl = await browser.pageWithoutScripts();
  await carl.context().clearCookies();
  await carl.goto(url);
  await carl.getByRole("link", { name: /Sign in to/ }).click();
  assert.ok(await carl.getByRole("button", { name: "Show" }).isHidden());
  await signIn(carl, "carl", newPassword);
  await carl.getByText("You are signed in as carl.").waitFor();
  await carl.getByRole("button", { name: "Accept" }).click();
  await heading(carl, "Members"); // a guest may not read errors
  assert.is(await roleOf("carl"), Role.GUEST);
  await carl.context().close();

  const owner = await browser.pageWithoutScripts();
  await owner.goto(members());
  const row = owner.getByRole("row", { name: /Carl/ });
  await row.getByRole("combobox").selectOption({ label: "Maintainer" });
  await row.getByRole("button", { name: "Save" }).click();
  await owner.getByText("Carl now has the role Maintainer.").waitFor();
  assert.is(await roleOf("carl"), Role.MAINTAINER);
  await owner.context().close();
});

test("a Maintainer cannot change an owner, nor make one", async () => {
  const carl = await browser.anotherPage();
  await signIn(carl, "carl", newPassword);
  await carl.waitForURL((url) => !url.pathname.includes("sign_in"));
  await carl.goto(members());
  assert.ok(await carl.getByLabel(/^Role of Administrator/).isDisabled());
  const owner = carl.getByLabel(/^Role of Ann/).locator("option", { hasText: "Owner" });
  assert.ok(await owner.isDisabled());
  await browser.photograph("members", carl);
  await carl.getByRole("link", { name: "Leave" }).click();
  await carl.getByRole("button", { name: "Leave" }).click();
  await heading(carl, "Projects");
  assert.is((await carl.goto(members()))?.status(), 404);
  browser.complaints.length = 0; // the browser reports the 404 itself
  await carl.context().close();
});

/** The name or label of what has the focus. */
const focused = (on: Page) =>
  on.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id");

test.run();
