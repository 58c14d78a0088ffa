// quiet: two hundred pages at once
import { request, type ClientRequest } from "node:http";
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";

/** Pages that are kept up to date, more of them than anybody opens. */

const { server, client } = await runningServer();
const project = await createProject(server);
const input = encodeURIComponent(JSON.stringify({ projectId: project.id }));
const changes = `${server.url}/-/trpc/errors.watchErrors?input=${input}`;

interface LivePage {
  readonly request: ClientRequest;
  status: number | undefined;
  text: string;
}

const opened: LivePage[] = [];
test.after.each(() => {
  for (const page of opened.splice(0)) page.request.destroy();
});

/** Subscribes as an open page does. */
function open(Cookie: string, headers: Readonly<Record<string, string>> = {}): LivePage {
  const page: LivePage = {
    request: request(changes, { agent: false, headers: { Accept: "text/event-stream", Cookie, ...headers } }),
    status: undefined,
    text: "",
  };
  page.request.on("response", (response) => {
    page.status = response.statusCode;
    response.setEncoding("utf8").on("data", (text: string) => (page.text += text));
    response.on("error", () => undefined); // it is ended by the test
  });
  page.request.on("error", () => undefined);
  page.request.end();
  opened.push(page);
  return page;
}

async function signedInMember(): Promise<string> {
  const { username } = await newMember(client, project.id, Role.DEVELOPER);
  return sessionCookie(await signInByForm(server, { username, password: personPassword }));
}

const isRefused = ({ text }: LivePage) => text.includes("LIMIT_REACHED");

test("A81: one person keeps at most 100 pages up to date, and what is closed makes room", async () => {
  const cookie = await signedInMember();
  const pages = Array.from({ length: 101 }, () => open(cookie));
  await until("one refusal", () => pages.filter(isRefused).length === 1);
  const [closed] = pages.filter((page) => !isRefused(page));
  closed?.request.destroy();
  await until("room", async () => {
    const page = open(cookie);
    await until("an answer", () => page.text !== "");
    return !isRefused(page);
  });
});

test("A81: two hundred open pages of three people keep nobody from anything", async () => {
  const cookies = [await signedInMember(), await signedInMember(), await signedInMember()];
  const pages = cookies.flatMap((cookie) => Array.from({ length: 70 }, () => open(cookie)));
  await until("all to be connected", () => pages.every(({ status, text }) => status === 200 && text !== ""));
  const { status } = await http(`${server.url}/-/projects`, { headers: { Cookie: cookies[0] ?? "" } });
  assert.is(status, 200);
  const before = pages.map(({ text }) => text.length);
  assert.is((await sendStore(server, project, { event_id: newEventId(), message: "new" })).status, 200);
  await until("each to hear of an event", () => pages.every(({ text }, index) => text.length > (before[index] ?? 0)));
});

test("A81: no other site keeps a page up to date", async () => {
  const cookie = await signedInMember();
  for (const site of ["cross-site", "same-site"]) {
    const page = open(cookie, { "Sec-Fetch-Site": site, Origin: "http://evil.example" });
    await until("an answer", () => page.status !== undefined);
    assert.is(page.status, 403);
  }
});

test.run();
