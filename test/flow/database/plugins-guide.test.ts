/** The plugin and the backend in docs/plugins.md, exactly as printed there. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "@faultline/plugin";
import { NotificationLevel, Role, type Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { answered } from "../../support/assert/assert-answer.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { testPace } from "../../support/service/movable-faultline.ts";
import { repositoryRoot } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

const guide = readFileSync(join(repositoryRoot, "docs/plugins.md"), "utf8");
const modules = tempDir();
symlinkSync(join(repositoryRoot, "node_modules"), join(modules, "node_modules"));

/** The exports of the block of code with this name. */
async function exportsOf<T>(block: string): Promise<T> {
  const [, code] = new RegExp(`^\`\`\`ts ${block}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(guide) ?? [];
  if (code === undefined) throw new Error(`docs/plugins.md has no code called ${block}.`);
  const file = join(modules, `${block}.ts`);
  writeFileSync(file, code);
  return (await import(pathToFileURL(file).href)) as T;
}

interface Memory extends Plugin {
  add(event: { projectId: number; errorId: string; eventId: string; title: string; at: number }): void;
}

const inMemory = 3 as Backend; // a kind that the schema does not name

const { tally } = await exportsOf<{ tally: () => Plugin }>("plugin");
const { memoryBackend } = await exportsOf<{ memoryBackend: (kind: Backend) => Memory }>("backend");
const { restored } = await exportsOf<{ restored: () => Plugin }>("notices");
const memory = memoryBackend(inMemory);
const config = { ...testConfig(tempDir()), logLevel: "silent" } as const;
const faultline = await startFaultline(config, undefined, { plugins: [tally(), restored(), memory], pace: testPace });
const service = { url: faultline.httpUrl };
const client = grpcClient(faultline);
const { auth } = client;

test.after(async () => {
  client.close();
  await faultline.stop();
});

test("the plugin of the guide that announces notices tells those who follow the error", async () => {
  const { id: projectId, ...project } = await createProject(service);
  await answered(
    sendEvent(service, { id: projectId, ...project }, { event_id: newEventId(), message: "restored" }),
    200,
  );
  const follower = await newMember(client, projectId, Role.DEVELOPER);
  const level = NotificationLevel.ALL;
  await client.notificationPreferences.updateNotificationLevel({ projectId, level }, follower);
  const [{ errorId = "" } = {}] = (await client.errors.listErrors({ projectId }, auth)).errors;
  const target = { case: "errors" as const, value: { errorIds: [errorId] } };
  const { deletion } = await client.deletions.createDeletion({ projectId, target }, auth);
  await client.deletions.undoDeletion({ projectId, deletionId: deletion?.deletionId ?? 0 }, auth);
  const kinds = async () => (await client.inbox.listInboxEntries({}, follower)).entries.map(({ kind }) => kind);
  await until("the notice", async () => (await kinds()).includes("restored"));
});

test("the plugin of the guide writes down each new error once", async () => {
  const project = await createProject(service);
  const send = () => sendEvent(service, project, { event_id: newEventId(), message: "counted" });
  await answered(send(), 200);
  await answered(send(), 200);
  const noted = () => rowsOf(config.dataDir, `select project_id from tally_new where project_id = ${project.id}`);
  await until("the new error", async () => (await noted()).length > 0);
  assert.is((await noted()).length, 1);
});

test("the backend of the guide answers for its projects over gRPC", async () => {
  const { id: projectId } = await createProject(service);
  // The settings offer the product's own backends alone.
  await execSql(config.dataDir, `update settings set backend = ${inMemory} where id = ${projectId}`);
  const events = ["a", "b"].map((digit, hour) => {
    return { projectId, errorId: "7", eventId: digit.repeat(32), title: "out of memory", at: Date.now() - hour };
  });
  for (const event of events.toReversed()) memory.add(event);

  const listed = () => client.errors.listErrors({ projectId }, auth).then(({ errors }) => errors);
  await until("the backend", async () => (await listed()).length > 0);
  assert.equal(
    (await listed()).map(({ errorId, title, eventCount }) => [errorId, title, eventCount]),
    [["7", "out of memory", 2]],
  );
  const asked = { projectId, errorId: "7" };
  assert.is((await client.errors.getError(asked, auth)).error?.title, "out of memory");
  const listedEvents = (await client.errors.listEvents(asked, auth)).events.map(({ eventId }) => eventId);
  assert.equal(
    listedEvents,
    events.map(({ eventId }) => eventId),
  );
  assert.is((await client.errors.getEvent({ projectId, eventId: "b".repeat(32) }, auth)).event?.errorId, "7");
  await rejects(client.errors.getError({ projectId, errorId: "8" }, auth), "NOT_FOUND");
});

test("a backend that the product does not know cannot be chosen in the settings, and takes no events", async () => {
  const project = await createProject(service);
  const chosen = client.settings.updateSettings({ projectId: project.id, backend: inMemory }, auth);
  assert.match((await rejects(chosen, "INVALID_ARGUMENT")).message, "Choose the integrated or the external backend.");
  await execSql(config.dataDir, `update settings set backend = ${inMemory} where id = ${project.id}`);
  const refused = await until("the refusal", async () => {
    const answer = await sendEvent(service, project, { event_id: newEventId(), message: "refused" });
    return answer.status === 200 ? undefined : answer.status;
  });
  assert.is(refused, 403);
});

test.run();
