import { EventPosition } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../support/assert/rejects.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

/** The search of a list also finds the events of an error that it is about. */

const { server, client } = await sharedServer();
const start = Date.now() / 1000 - 3_600;
let project: Project;
let errorId: string;
let sent: string[];

test.before(async () => {
  project = await createProject(server);
  sent = [];
  for (let n = 0; n < 12; n++) sent.push(await send(n));
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  errorId = errors[0]?.errorId ?? "";
});

async function send(n: number): Promise<string> {
  const event_id = newEventId();
  const answer = await sendEvent(server, project, {
    event_id,
    timestamp: start + n,
    fingerprint: ["one"],
    message: `number ${n}`,
    environment: n % 2 === 0 ? "production" : "staging",
    release: `shop@1.${n}.0`,
    transaction: n < 6 ? "/cart" : "/pay",
    tags: n % 3 === 0 ? { browser: "Chrome 131", vip: "yes" } : {},
    contexts: n % 4 === 3 ? { os: { name: "macOS", version: "14.5" } } : {},
    user: { id: String(n), email: `U${n}@Example.com` },
  });
  assert.is(answer.status, 200, answer.text);
  return event_id;
}

/** The numbers of the events that are listed, newest first. */
async function found(query: string, pageSize = 100): Promise<number[]> {
  const all: number[] = [];
  for (let pageToken = ""; ;) {
    const request = { projectId: project.id, errorId, query, pageSize, pageToken };
    const page = await client.errors.listEvents(request, client.auth);
    all.push(...page.events.map(({ eventId }) => sent.indexOf(eventId)));
    pageToken = page.nextPageToken;
    if (pageToken === "") return all;
  }
}

const listed: readonly (readonly [query: string, events: readonly number[]])[] = [
  ["", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ["environment:staging", [11, 9, 7, 5, 3, 1]],
  ["!environment:staging", [10, 8, 6, 4, 2, 0]],
  ["browser:Chrome*", [9, 6, 3, 0]],
  ["vip:YES", [9, 6, 3, 0]],
  ["browser:chrome", [9, 6, 3, 0]],
  ["os:macOS environment:Staging", [11, 7, 3]],
  ['os:"macos 14.5" release:1.11.0', [11]],
  ["release:>=shop@1.9", [11, 10, 9]],
  ["!has:browser environment:staging", [11, 7, 5, 1]],
  ["user.email:u7@example.com", [7]],
  ["user:3", [3]],
  ["transaction:/pay release:<1.8.0", [7, 6]],
  ["release:[shop@1.2.0, shop@1.10.0]", [10, 2]],
  ["environment:nowhere", []],
  ["number timesSeen:>5 is:unresolved", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]], // about the error as a whole
];
for (const [query, events] of listed) {
  test(`${JSON.stringify(query)} finds the events ${events.join(", ") || "of none"}`, async () => {
    assert.equal(await found(query), events);
    assert.equal(await found(query, 2), events);
  });
}

test("older and newer are the next events that match, and so are the newest and the oldest", async () => {
  const query = 'browser:[Chrome 131, "Chrome 131"]';
  const get = async (request: { eventId?: string; position?: EventPosition }) => {
    const asked = { projectId: project.id, errorId, query, ...request };
    const { event, olderEventId, newerEventId } = await client.errors.getEvent(asked, client.auth);
    return [event?.eventId, olderEventId, newerEventId].map((id) => sent.indexOf(id ?? ""));
  };
  assert.equal(await get({ eventId: sent[6] ?? "" }), [6, 3, 9]);
  assert.equal(await get({ eventId: sent[7] ?? "" }), [7, 6, 9]);
  assert.equal(await get({}), [9, 6, -1]);
  assert.equal(await get({ position: EventPosition.OLDEST }), [0, -1, 3]);
});

test("a search that cannot be read is refused, and so is one in an error that is not there", async () => {
  const refusal = await rejects(found('"open'), "INVALID_ARGUMENT");
  assert.is(refusal.field, "query");
  const elsewhere = { projectId: project.id, errorId: "999999999", query: "environment:staging" };
  await rejects(client.errors.listEvents(elsewhere, client.auth), "NOT_FOUND");
});

test.run();
