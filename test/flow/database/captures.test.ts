import type { Event } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import { readCaptures, replay, type Capture, type Expectation } from "../../support/sentry/capture.ts";
import { createProject } from "../../support/core/project.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";

const captures = readCaptures();
const expectedIds = captures.flatMap((capture) => capture.eventIds);

const { server, client } = await sharedServer();
const project = await createProject(server);

test("the captures cover nine SDKs and both path forms", () => {
  assert.is(new Set(captures.map(({ name }) => name.split("/")[0])).size, 9);
  const prefixed = captures.filter(({ target }) => target.startsWith("/api/v4/error_tracking/collector/api/42/"));
  const bare = captures.filter(({ target }) => target.startsWith("/api/42/"));
  assert.ok(prefixed.length >= 14);
  assert.is(prefixed.length + bare.length, captures.length);
  assert.is(new Set(expectedIds).size, expectedIds.length);
});

for (const capture of captures) {
  const [eventId] = capture.eventIds;
  if (eventId === undefined)
    test(`${capture.name}: accepted, stores no event`, async () => {
      const answer = await replay(server, project, capture);
      assert.is(answer.status, 200, answer.text);
    });
  else
    test(`${capture.name}: stored with its meaning`, async () => {
      const answer = await replay(server, project, capture);
      assert.is(answer.status, 200, answer.text);
      assert.equal(answer.json, { id: eventId });
      const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
      assert.ok(event);
      const meant = capture.expect.find(({ kind }) => kind === "exception" || kind === "message");
      assert.ok(meant);
      assertMeaning(event, meant, capture);
      await assertTitle(event, meant);
    });
}

test("exactly the error events are stored, once each, and nothing of transactions, sessions or reports", async () => {
  const errors = await storedErrors(client, project.id);
  const ids = await Promise.all(errors.map(({ errorId }) => storedEventIds(client, project.id, errorId)));
  assert.equal(ids.flat().toSorted(), expectedIds.toSorted());
  assert.is(
    errors.reduce((sum, { eventCount }) => sum + eventCount, 0),
    expectedIds.length,
  );
});

function assertMeaning(event: Event, meant: Expectation, capture: Capture): void {
  assert.is(event.projectId, project.id);
  assert.is(event.level, normalisedLevel(meant.level));
  if (meant.kind === "message") assert.is(event.message, meant.message);
  if (meant.exceptions) {
    assert.equal(
      event.exceptions.map(({ type, value }) => ({ type, value })),
      meant.exceptions.map(({ type, value }) => ({ type, value })),
    );
    const modules = meant.exceptions.map((exception) => exception.module).filter(Boolean);
    if (modules.length > 0)
      assert.equal(
        event.exceptions.map((exception) => exception.module),
        modules,
      );
  }
  if (meant.functions_outermost) {
    const functions = event.exceptions.at(-1)?.frames.map((frame) => frame.function) ?? [];
    for (const name of meant.functions_outermost)
      assert.ok(
        functions.some((found) => found.endsWith(name)),
        `${name} is not on the stack ${functions.join(", ")}`,
      );
  }
  if (meant.user) assertUser(event, meant.user, capture.hidesIpAddress);
  for (const [key, value] of Object.entries(meant.tags ?? {})) assert.is(event.tags[key], String(value), `tag ${key}`);
  for (const [key, value] of Object.entries(meant.extra ?? {}))
    assert.equal(event.extra?.[key], asSent(capture, value), `extra ${key}`);
  for (const [key, value] of Object.entries(meant.contexts ?? {}))
    assert.equal(subset(event.contexts?.[key], value), value, `context ${key}`);
  // PHP's expectation says in brackets that the order may differ
  const categories = event.breadcrumbs.map(({ category }) => category);
  for (const category of meant.breadcrumbs ?? [])
    assert.ok(categories.includes(category.split(" ")[0] ?? ""), category);
  if (meant.release !== undefined) assert.is(event.release, meant.release);
  if (meant.environment !== undefined) assert.is(event.environment, meant.environment);
  if (meant.server_name !== undefined) assert.is(event.serverName, meant.server_name);
  if (meant.transaction !== undefined) assert.is(event.transaction, meant.transaction);
  assert.ok(event.sdk?.name.startsWith("sentry."), `sdk ${event.sdk?.name}`);
  assert.ok(typeof JSON.parse(event.payloadJson) === "object");
}

/** The event is titled by what was reported, and so is its error while it has no other event. */
async function assertTitle(event: Event, meant: Expectation): Promise<void> {
  const outermost = meant.exceptions?.at(-1);
  const title = outermost ? `${outermost.type}: ${outermost.value}` : meant.message;
  assert.is(event.title, title);
  const { error } = await client.errors.getError({ projectId: event.projectId, errorId: event.errorId }, client.auth);
  assert.is(error?.type, outermost?.type ?? "");
  if (error?.eventCount !== 1) return;
  assert.is(error.title, title);
  assert.is(error.value, outermost?.value ?? meant.message);
}

function assertUser({ user }: Event, meant: Readonly<Record<string, unknown>>, hidesIpAddress: boolean): void {
  const { id, username, email, ip_address, data, ...rest } = meant;
  assert.equal(
    {
      id: user?.id ?? "",
      username: user?.username ?? "",
      email: user?.email ?? "",
      ip_address: user?.ipAddress ?? "",
    },
    {
      id: text(id),
      username: text(username),
      email: text(email),
      ip_address: hidesIpAddress ? "" : text(ip_address),
    },
  );
  const custom = { ...(data as Record<string, unknown> | undefined), ...rest };
  for (const [key, value] of Object.entries(custom)) assert.equal(user?.data?.[key], value, `user ${key}`);
}

/** The program's value as the SDK sent it: Node's cuts objects at the third level. */
function asSent({ name }: Capture, value: unknown): unknown {
  return name.startsWith("node-") ? JSON.parse(JSON.stringify(value).replace('{"sku":"T-1"}', '"[Object]"')) : value;
}

/** Node's sixth level, `log`, is shown as info; no level means error. */
function normalisedLevel(level = "error"): string {
  return level === "log" ? "info" : level;
}

function text(value: unknown): string {
  return value === undefined ? "" : `${value as string | number}`;
}

/** The parts of `actual` that `wanted` names: SDKs add to what the program gave them. */
function subset(actual: unknown, wanted: unknown): unknown {
  if (typeof actual !== "object" || typeof wanted !== "object" || actual === null || wanted === null) return actual;
  return Object.fromEntries(Object.entries(actual).filter(([key]) => key in wanted));
}

test.run();
