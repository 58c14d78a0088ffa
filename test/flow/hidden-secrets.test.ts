import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Permission, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../support/console/console.ts";
import { newMember, personPassword, type Person } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { webApi } from "../support/external/web-api.ts";
import { http } from "../support/http/http.ts";
import { rest } from "../support/rest/rest.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { bundle, repositoryRoot } from "../support/service/server.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const eventId = newEventId();
const card = "4111 1111 1111 1111";
const secrets = ["bearer-value", "cookie-value", "variable-value", "body-value", "query-value", card];
await sendEvent(server, project, {
  event_id: eventId,
  exception: [{ type: "PaymentError", value: "card refused", stacktrace: { frames: [{ vars: { card } }] } }],
  request: {
    url: "https://shop.example/pay?step=2&access_token=query-value",
    headers: { Authorization: "Bearer bearer-value", Accept: "text/html" },
    cookies: "sid=cookie-value",
    env: { HTTP_X_API_KEY: "variable-value", SERVER_NAME: "shop" },
    data: JSON.stringify({ card, authorization: "body-value", amount: 650 }),
  },
  extra: { order: { card } },
  breadcrumbs: [{ message: `paying with ${card}` }],
});
const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
const errorId = errors[0]?.errorId ?? "";

/** Each way to read an event, as text. */
const doors: [name: string, read: (person: Person) => Promise<string>][] = [
  ["gRPC", async ({ token }) => textOf(await client.errors.getEvent({ projectId: project.id, eventId }, { token }))],
  ["REST, the event", ofRest(`events/${eventId}`)],
  ["REST, the event as it was sent", ofRest(`events/${eventId}/payload`)],
  ["REST, the newest event", ofRest(`errors/${errorId}/events/latest`)],
  ["REST, the oldest event", ofRest(`errors/${errorId}/events/oldest`)],
  ["Sentry's web API, the event", ofWebApi(`/projects/-/${project.id}/events/${eventId}/`)],
  ["Sentry's web API, the event as it was sent", ofWebApi(`/projects/-/${project.id}/events/${eventId}/json/`)],
  ["Sentry's web API, the newest event", ofWebApi(`/issues/${errorId}/events/latest/`)],
  ["Sentry's web API, whole events", ofWebApi(`/issues/${errorId}/events/?full=1`)],
  ["the console's raw JSON", ofConsole(`/${project.path}/-/error_tracking/${errorId}/events/${eventId}.json`)],
  [
    "the console's calls",
    ofConsole(
      `/-/trpc/errors.getEvent?input=${encodeURIComponent(JSON.stringify({ projectId: project.id, eventId }))}`,
    ),
  ],
  ["the command line", ofCommand("errors", "show", String(project.id), errorId)],
  ["an export", ofCommand("export", String(project.id))],
];

const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const others = [
  ["Reporter", await newMember(client, project.id, Role.REPORTER)],
  ["Developer", await newMember(client, project.id, Role.DEVELOPER)],
] as const;

for (const [name, read] of doors) {
  test(`${name}: a Maintainer reads the whole event, a Reporter and a Developer without its secrets`, async () => {
    const whole = await read(maintainer);
    for (const secret of secrets) assert.ok(whole.includes(secret), `${secret} in ${whole}`);
    for (const [role, person] of others) {
      const text = await read(person);
      assert.match(text, "PaymentError");
      assert.match(text, "text/html");
      assert.match(text, "[Filtered]");
      for (const secret of secrets) assert.not.ok(text.includes(secret), `${role} reads ${secret} in ${text}`);
    }
  });
}

test("the page of the error shows no secret to a Reporter", async () => {
  const text = await ofConsole(`/${project.path}/-/error_tracking/${errorId}/details`)(others[0][1]);
  assert.match(text, "PaymentError");
  for (const secret of secrets) assert.not.ok(text.includes(secret), secret);
});

test("a custom role that may administer errors reads the whole event", async () => {
  const { memberRole } = await client.memberRoles.createMemberRole(
    { name: `Keeper ${project.id}`, baseRole: Role.REPORTER, permissions: [Permission.ADMIN_ERROR_TRACKING] },
    client.auth,
  );
  const person = await newMember(client, project.id, Role.REPORTER);
  await client.members.updateMember(
    { projectId: project.id, userId: person.userId, memberRoleId: memberRole?.memberRoleId ?? 0 },
    client.auth,
  );
  assert.match(await ofRest(`events/${eventId}/payload`)(person), "bearer-value");
});

function textOf(message: object): string {
  return JSON.stringify(message, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

function ofRest(path: string) {
  return async ({ token }: Person) =>
    (await rest(server, `GET /projects/${project.id}/error_tracking/${path}`, { token })).text;
}

function ofWebApi(path: string) {
  return async ({ token }: Person) => (await webApi(server, `GET ${path}`, { token })).text;
}

function ofConsole(path: string) {
  return async ({ username }: Person) => {
    const cookie = sessionCookie(await signInByForm(server, { username, password: personPassword }));
    return (await http(server.url + path, { headers: { Cookie: cookie, Accept: "*/*" } })).text;
  };
}

function ofCommand(...args: string[]) {
  return async ({ token }: Person) => {
    const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: token };
    return (await promisify(execFile)(process.execPath, [bundle, ...args], { cwd: repositoryRoot, env })).stdout;
  };
}

test.run();
