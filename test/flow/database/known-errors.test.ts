// process: moves the clock
// limit: 240 s
/** The fate of errors of version 1 of grouping when their events come again. */
import { ErrorStatus, type Error as StoredError } from "@faultline/proto";
import type { JsonObject } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { groupByVersion1, type Sent } from "../../support/database/version-1.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { movableClock } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;

/** An exception in one function: version 1 leaves out the line, by which version 2 distinguishes two faults. */
const raised = (line: string, more: JsonObject = {}): JsonObject => ({
  platform: "python",
  exception: {
    values: [
      {
        type: "ValueError",
        value: "no",
        stacktrace: {
          frames: [
            {
              module: "shop.cart",
              filename: "shop/cart.py",
              function: "pay",
              context_line: line,
              lineno: 1,
              in_app: true,
            },
          ],
        },
      },
    ],
  },
  ...more,
});
const [total, currency] = [raised("raise ValueError(total)"), raised("raise ValueError(currency)")];

/** A message with an address that version 1 takes for a part of the text. */
const refused = (host: string): JsonObject => ({ message: `dial tcp://${host}:10 refused` });
const [a, b, c] = [refused("a.com"), refused("b.org"), refused("c.net")];

const clock = movableClock();
const config = { ...testConfig(tempDir()), logLevel: "silent" as const };
const start = () => startFaultline(config, clock, { pace: 60 });

/** The events that a release with version 1 stored, by the name of their project. */
const stored = {
  known: [total],
  split: [total],
  "split again": [total, currency],
  "split of a resolved one": [total],
  joined: [a, b, c],
  "two at once": [a, b],
  looked: [a, b],
  discarded: [total],
  deleted: [total],
  previewed: [a, b, total, currency],
};
type Name = keyof typeof stored;

const before = await start();
const projects = new Map<Name, Project>();
{
  const client = grpcClient(before);
  for (const [name, events] of Object.entries(stored) as [Name, JsonObject[]][]) {
    const path = `of-version-1/${name.replaceAll(" ", "-")}`;
    projects.set(name, await createProject({ url: before.httpUrl }, { name, path }));
    const sent: Sent[] = [];
    for (const event of events) sent.push(await report(before.httpUrl, name, event));
    await until("they are stored", async () => (await storedErrors(client, of(name).id)).length > 0);
    stored[name] = sent as never;
  }
  client.close();
}
await before.stop();
for (const [name, sent] of Object.entries(stored) as unknown as [Name, Sent[]][]) {
  await groupByVersion1(config.dataDir, of(name).id, sent);
}
const faultline = await start();
const client = grpcClient(faultline);
test.after(async () => {
  client.close();
  await faultline.stop();
});

function of(name: Name): Project {
  const project = projects.get(name);
  if (!project) throw new Error(name);
  return project;
}

async function report(url: string, name: Name, event: JsonObject): Promise<Sent> {
  clock.at += 1_000;
  const eventId = newEventId();
  const { status, text } = await sendEvent({ url }, of(name), { ...event, event_id: eventId });
  assert.is(status, 200, text);
  return { eventId, event };
}

const send = async (name: Name, event: JsonObject) => (await report(faultline.httpUrl, name, event)).eventId;
const errorsOf = async (name: Name) =>
  (await storedErrors(client, of(name).id)).toSorted((one, other) => Number(one.errorId) - Number(other.errorId));

async function errorOf(name: Name, eventId: string): Promise<StoredError | undefined> {
  const { event } = await client.errors.getEvent({ projectId: of(name).id, eventId }, client.auth);
  const { error } = await client.errors.getError(
    { projectId: of(name).id, errorId: event?.errorId ?? "" },
    client.auth,
  );
  return error;
}

const setStatus = (name: Name, errorId: string | undefined, status: ErrorStatus) =>
  client.errors.updateErrors({ projectId: of(name).id, changes: [{ errorId: errorId ?? "", status }] }, client.auth);

/** The inbox entries about a project, oldest first. */
async function notedOf(name: Name): Promise<string[]> {
  const { entries } = await client.inbox.listInboxEntries({ pageSize: 100 }, client.auth);
  return entries
    .filter(({ projectId }) => projectId === of(name).id)
    .map(({ errorId }) => errorId)
    .toReversed();
}

test("an error of version 1 counts the next event of its group, and keeps its id and status", async () => {
  const [known] = await errorsOf("known");
  await setStatus("known", known?.errorId, IGNORED);
  const error = await errorOf("known", await send("known", total));
  assert.equal([error?.errorId, error?.status, error?.eventCount], [known?.errorId, IGNORED, 2]);
  assert.is(error?.splitFromErrorId, "");
  assert.is((await errorsOf("known")).length, 1);
});

test("a fault that version 1 counted in another error gets a marked error without notifications", async () => {
  const [known] = await errorsOf("split");
  const noted = await notedOf("split");
  await send("split", total);
  const error = await errorOf("split", await send("split", currency));
  assert.is.not(error?.errorId, known?.errorId);
  assert.is(error?.splitFromErrorId, known?.errorId);
  assert.ok(error?.splitFromTime);
  assert.is(error?.status, UNRESOLVED);
  // A really new error is news, and comes after.
  const other = await errorOf("split", await send("split", { message: "something else" }));
  assert.is(other?.splitFromErrorId, "");
  await until("the new error is noted", async () => (await notedOf("split")).includes(other?.errorId ?? ""));
  assert.equal((await notedOf("split")).slice(noted.length), [other?.errorId]);
});

test("a fault that version 1 counted in an error that is resolved by now is marked and news", async () => {
  const name = "split of a resolved one";
  const known = await errorOf(name, await send(name, total));
  await setStatus(name, known?.errorId, RESOLVED);
  const error = await errorOf(name, await send(name, currency));
  assert.is(error?.splitFromErrorId, known?.errorId);
  await until("the error is noted", async () => (await notedOf(name)).includes(error?.errorId ?? ""));
  assert.is((await errorsOf(name)).find(({ errorId }) => errorId === known?.errorId)?.status, RESOLVED);
});

test("which of two faults takes the error is decided by the event that comes first, also within one batch", async () => {
  const [known] = await errorsOf("split again");
  const ids = await Promise.all([currency, total, currency, total].map((event) => send("split again", event)));
  const errors = await Promise.all(ids.map((id) => errorOf("split again", id)));
  assert.is(new Set(errors.map((error) => error?.errorId)).size, 2);
  const marked = errors.filter((error) => error?.errorId !== known?.errorId);
  assert.equal(
    marked.map((error) => error?.splitFromErrorId),
    [known?.errorId, known?.errorId],
  );
  assert.is((await errorsOf("split again")).length, 2);
});

test("errors that are one by now: the open one takes the events of a resolved one, which does not open again", async () => {
  const [first, second, third] = await errorsOf("joined");
  await send("joined", a);
  await setStatus("joined", first?.errorId, RESOLVED);
  const error = await errorOf("joined", await send("joined", b));
  assert.is(error?.errorId, second?.errorId);
  assert.equal(error?.joinedErrorIds, [first?.errorId]);
  const joined = (await errorsOf("joined"))[0];
  assert.equal([joined?.errorId, joined?.status, joined?.eventCount], [first?.errorId, RESOLVED, 2]);
  assert.is(joined?.joinedToErrorId, second?.errorId);
  // Events of all kinds now go to the open error.
  for (const event of [a, b, c]) await send("joined", event);
  const after = await errorsOf("joined");
  assert.equal(
    after.map(({ eventCount }) => eventCount),
    [2, 5, 1],
  );
  assert.is(after[2]?.errorId, third?.errorId);
});

test("events of two errors that come together go to one of them", async () => {
  await Promise.all([b, a, b, a].map((event) => send("two at once", event)));
  const counts = (await errorsOf("two at once")).map(({ eventCount }) => eventCount);
  assert.equal(
    counts.toSorted((one, other) => one - other),
    [1, 5],
  );
});

test("discarded errors stay discarded, whichever groups they divide into", async () => {
  const [known] = await errorsOf("discarded");
  await client.deletions.createDeletion(
    {
      projectId: of("discarded").id,
      target: { case: "errors", value: { errorIds: [known?.errorId ?? ""] } },
      discard: {},
    },
    client.auth,
  );
  await send("discarded", total);
  await send("discarded", currency);
  await send("discarded", total);
  assert.equal(await errorsOf("discarded"), []);
});

test("after its deletion an error comes again as a new one, without a mark", async () => {
  const [known] = await errorsOf("deleted");
  await send("deleted", total);
  await client.deletions.createDeletion(
    { projectId: of("deleted").id, target: { case: "errors", value: { errorIds: [known?.errorId ?? ""] } } },
    client.auth,
  );
  const error = await errorOf("deleted", await send("deleted", total));
  assert.is.not(error?.errorId, known?.errorId);
  assert.is(error?.splitFromErrorId, "");
});

test("a preview says which errors are one and which are several, and changes nothing", async () => {
  const errors = await errorsOf("previewed");
  const preview = await client.errors.previewRegrouping({ projectId: of("previewed").id }, client.auth);
  assert.equal(
    preview.joins.map((join) => join.errors.map(({ errorId }) => errorId)),
    [[errors[0]?.errorId, errors[1]?.errorId]],
  );
  assert.equal(
    preview.splits.map(({ error, groups }) => [error?.errorId, groups.length]),
    [[errors[2]?.errorId, 2]],
  );
  assert.equal([preview.examinedErrorCount, preview.examinedEventCount, preview.groupCount], [3, 4, 3]);
  assert.is(preview.hasMore, false);
  const env = { FAULTLINE_GRPC_ADDRESS: faultline.grpcAddress, FAULTLINE_TOKEN: client.auth.token };
  const { lines, stderr } = await commandHere(["errors", "regroup", of("previewed").path, "--dry-run"], env);
  assert.equal(
    lines.map((line) => Object.keys(line).toSorted()),
    [
      ["errors", "group_hash"],
      ["error", "groups"],
    ],
  );
  assert.match(stderr, /Examined 4 events of 3 errors: 3 groups\. Joins: 1\. Splits: 1\./);
  assert.equal(await errorsOf("previewed"), errors);
});

test("errors are joined by their stored events, and the oldest open one takes the events from then on", async () => {
  const [first, second] = await errorsOf("looked");
  assert.is((await errorOf("looked", await send("looked", b)))?.errorId, second?.errorId);
  clock.at += 601_000;
  await until("they are joined", async () => (await errorsOf("looked"))[0]?.joinedErrorIds.length === 1);
  const joined = await errorsOf("looked");
  assert.equal(joined[0]?.joinedErrorIds, [second?.errorId]);
  assert.is(joined[1]?.joinedToErrorId, first?.errorId);
  assert.equal(
    joined.map(({ status }) => status),
    [UNRESOLVED, UNRESOLVED],
  );
  const error = await errorOf("looked", await send("looked", b));
  assert.is(error?.errorId, first?.errorId);
});

test.run();
