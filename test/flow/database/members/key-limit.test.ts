import { CallError } from "@faultline/proto/grpc";
import { ErrorReason, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../../support/service/flow.ts";
import { createProject } from "../../../support/core/project.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { makePerson, makeProject } from "./people.ts";

const { server, client } = await sharedServer();

const keysOf = async (projectId: number) =>
  (await client.clientKeys.listClientKeys({ projectId, pageSize: 100 }, client.auth)).clientKeys;

test("of 100 keys made simultaneously, a project gets 50, and the others are refused in words", async () => {
  const projectId = await makeProject(client, "keys");
  const calls = Array.from({ length: 100 }, () => client.clientKeys.createClientKey({ projectId }, client.auth));
  const done = await Promise.allSettled(calls);
  assert.is(done.filter(({ status }) => status === "fulfilled").length, 50);
  for (const one of done) {
    if (one.status === "fulfilled") continue;
    const refusal = one.reason as CallError;
    assert.is(refusal.reason, ErrorReason.LIMIT_REACHED);
    assert.match(refusal.message, /at most 50 client keys/);
  }
  assert.is((await keysOf(projectId)).length, 50);
});

test("a full project takes a new key once one was deleted, and another project has its own fifty", async () => {
  const projectId = await makeProject(client, "full");
  const make = (id: number) => client.clientKeys.createClientKey({ projectId: id }, client.auth);
  for (let n = 0; n < 50; n += 1) await make(projectId);
  await refusedBecause("LIMIT_REACHED", make(projectId));
  const [first] = await keysOf(projectId);
  await client.clientKeys.deleteClientKey({ projectId, keyId: first?.keyId ?? 0 }, client.auth);
  assert.ok((await make(projectId)).clientKey);
  await refusedBecause("LIMIT_REACHED", make(projectId));
  assert.ok((await make(await makeProject(client, "other"))).clientKey);
});

test("a key is deleted once: later and simultaneous deletions find none", async () => {
  const projectId = await makeProject(client, "deleted");
  const { clientKey } = await client.clientKeys.createClientKey({ projectId }, client.auth);
  const remove = () => client.clientKeys.deleteClientKey({ projectId, keyId: clientKey?.keyId ?? 0 }, client.auth);
  const done = await Promise.allSettled(Array.from({ length: 8 }, remove));
  assert.is(done.filter(({ status }) => status === "fulfilled").length, 1);
  for (const one of done) {
    if (one.status === "rejected") assert.is((one.reason as CallError).reason, ErrorReason.CLIENT_KEY_NOT_FOUND);
  }
  await refusedBecause("CLIENT_KEY_NOT_FOUND", remove());
});

test("the last key may be deleted, and takes no event from then on", async () => {
  const project = await createProject(server);
  const send = () => sendEvent(server, project, { event_id: newEventId(), message: "boom" });
  assert.is((await send()).status, 200);
  for (const { keyId } of await keysOf(project.id)) {
    await client.clientKeys.deleteClientKey({ projectId: project.id, keyId }, client.auth);
  }
  assert.is((await send()).status, 403);
  assert.equal(await keysOf(project.id), []);
});

test("a key of another project is not found, and developers neither see nor make keys", async () => {
  const dan = await makePerson(client, "dan");
  const projectId = await makeProject(client, "mine", [[dan, Role.DEVELOPER]]);
  const { clientKey } = await client.clientKeys.createClientKey({ projectId }, client.auth);
  const other = await makeProject(client, "yours");
  const foreign = client.clientKeys.deleteClientKey({ projectId: other, keyId: clientKey?.keyId ?? 0 }, client.auth);
  await refusedBecause("CLIENT_KEY_NOT_FOUND", foreign);
  await refusedBecause("FORBIDDEN", client.clientKeys.listClientKeys({ projectId }, dan.auth));
  await refusedBecause("FORBIDDEN", client.clientKeys.createClientKey({ projectId }, dan.auth));
});

test.run();
