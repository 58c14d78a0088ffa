import { ErrorReason, ErrorStatus, type WatchErrorsResponse } from "@faultline/proto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { errorEvent } from "../../support/sentry/error-event.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

let server: Server;
let client: GrpcClient;
let project: Project;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
  }),
);
test.before.each(async () => {
  project = await createProject(server);
});
test.after(async () => {
  client?.close();
  await server?.kill9(); // the last test has stopped it in order
});

async function report(message: string, target = project): Promise<void> {
  const answer = await sendEvent(server, target, { event_id: newEventId(), message });
  assert.is(answer.status, 200, answer.text);
}

/** Watches a project. Resolves with the first change, because nothing else shows that the watch has begun. */
async function watch(target = project) {
  const abort = new AbortController();
  const responses: WatchErrorsResponse[] = [];
  const listen = async () => {
    const context = { ...client.auth, signal: abort.signal };
    for await (const response of client.errors.watchErrors({ projectId: target.id }, context)) responses.push(response);
  };
  const ended = listen();
  ended.catch(() => undefined); // seen by the test that awaits it; a test that failed before does not
  await until("the watch to begin", async () => responses.length > 0 || (await report("warm-up", target)), {
    everyMs: 100,
  });
  const errors = () => responses.flatMap((response) => response.errors);
  return {
    responses,
    errors,
    /** Resolves when the watch reports the error with this status. */
    hears: (title: string, status: ErrorStatus = ErrorStatus.UNRESOLVED) =>
      until(`news of ${title}`, () => errors().find((error) => error.title === title && error.status === status)),
    async cancel() {
      abort.abort();
      await ended;
    },
    ended,
  };
}

test("a watch reports a new event with its error as it is now, and nothing of other projects", async () => {
  const watcher = await watch();
  await report("elsewhere", await createProject(server));
  await report("fresh");
  await report("fresh");
  const error = await until("both events", () => watcher.errors().find(({ eventCount }) => eventCount === 2));
  assert.is(error.title, "fresh");
  assert.is(error.projectId, project.id);
  const [listed] = (await storedErrors(client, project.id)).filter(({ title }) => title === "fresh");
  const { error: read } = await client.errors.getError({ projectId: project.id, errorId: error.errorId }, client.auth);
  assert.is(listed?.errorId, error.errorId);
  assert.equal(error, read);
  assert.equal([...new Set(watcher.errors().map(({ projectId }) => projectId))], [project.id]);
  await watcher.cancel();
});

test("a watch reports a change of status, and the error that comes back", async () => {
  await report("moves");
  const [error] = await storedErrors(client, project.id);
  const watcher = await watch();
  const changes = [{ errorId: error?.errorId ?? "", status: ErrorStatus.RESOLVED }];
  await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  const resolved = await watcher.hears("moves", ErrorStatus.RESOLVED);
  assert.ok(resolved.statusChangedTime);
  assert.is(resolved.statusChangedBy, "root");
  await report("moves");
  const reopened = await watcher.hears("moves", ErrorStatus.UNRESOLVED);
  assert.ok(reopened.reopenedTime);
  assert.is(reopened.statusChangedBy, "", "an event did it");
  await watcher.cancel();
});

test("two watchers get the same, and one continues after the other has ended", async () => {
  const watchers = await Promise.all([watch(), watch()]);
  await report("for both");
  await Promise.all(watchers.map((watcher) => watcher.hears("for both")));
  await watchers[0].cancel();
  await report("for one");
  await watchers[1].hears("for one");
  assert.not(watchers[0].errors().some(({ title }) => title === "for one"));
  await watchers[1].cancel();
});

test("if more than 100 errors change simultaneously, a watch reports 100, and that there are more", async () => {
  const watcher = await watch();
  const words = Array.from({ length: 150 }, (_, n) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26)));
  const events = words.map((word) => errorEvent({ projectId: project.id, eventId: newEventId(), message: word }));
  await client.ingest.reportEvents({ events }, client.auth);
  const crowd = await until("the crowd", () => watcher.responses.find(({ more }) => more));
  assert.is(crowd.errors.length, 100);
  await watcher.cancel();
});

test("a watch that begins late reports what changed since its list was read, and whether more may have", async () => {
  await report("before the list");
  const readAt = Date.now() + 1; // the next report takes longer
  await report("after the list");
  const first = async (sinceTime: Date) => {
    const request = { projectId: project.id, sinceTime: timestampFromDate(sinceTime) };
    for await (const { errors, more } of client.errors.watchErrors(request, client.auth)) {
      return { titles: errors.map(({ title }) => title).toSorted(), more };
    }
    return undefined;
  };
  assert.equal(await first(new Date(readAt)), { titles: ["after the list"], more: false });
  assert.equal(await first(new Date(0)), { titles: ["after the list", "before the list"], more: true });
});

test("a watch that asks for hourly counts gets them with each change, as in a list; no other watch does", async () => {
  const since = timestampFromDate(new Date());
  await report("counted");
  await report("counted");
  const first = async (hourlyCounts: boolean) => {
    const request = { projectId: project.id, sinceTime: since, hourlyCounts };
    for await (const { errors } of client.errors.watchErrors(request, client.auth)) return errors;
    return [];
  };
  const [listed] = await storedErrors(client, project.id);
  const hour = Math.floor(Date.now() / 3_600_000);
  const [watched] = await first(true);
  assert.is(
    watched?.hourlyCounts.reduce((sum, count) => sum + count),
    2,
  );
  assert.is(Number(listed?.hourlyCountsStartTime?.seconds) / 3600, hour - 23);
  assert.equal(watched, listed);
  const [plain] = await first(false);
  assert.equal(plain?.hourlyCounts, []);
  assert.is(plain?.hourlyCountsStartTime, undefined);
});

test("a watch is refused like any other call", async () => {
  const first = async (projectId: number, token?: string) => {
    for await (const response of client.errors.watchErrors({ projectId }, { token })) return response;
    return undefined;
  };
  assert.is((await rejects(first(project.id), "UNAUTHENTICATED")).reason, ErrorReason.TOKEN_REQUIRED);
  assert.is((await rejects(first(4_000_000, client.auth.token), "NOT_FOUND")).reason, ErrorReason.PROJECT_NOT_FOUND);
});

test("a service that stops does not wait for watchers", async () => {
  const watcher = await watch();
  const ended = watcher.ended.catch((error: unknown) => error);
  assert.is(await server.stop(), 0);
  const error = await ended;
  if (error !== undefined) assert.instance(error, CallError);
});

test.run();
