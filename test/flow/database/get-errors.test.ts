import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

const { server, client } = await sharedServer();

test("errors are read by their ids or by a query, and never from another project", async () => {
  const [project, other] = [await createProject(server), await createProject(server)];
  const report = async (to: typeof project, type: string) => {
    const event = { event_id: newEventId(), exception: { values: [{ type, value: "happened" }] } };
    assert.is((await sendEvent(server, to, event)).status, 200);
  };
  for (const type of ["One", "Two"]) await report(project, type);
  await report(other, "Other");
  const idsIn = async (projectId: number) =>
    (await client.errors.listErrors({ projectId }, client.auth)).errors.map(({ errorId }) => errorId);
  const errorIds = [...(await idsIn(project.id)), ...(await idsIn(other.id)), "999999999"];
  const read = async (fields: { errorIds: string[]; query?: string }) =>
    (await client.errors.getErrors({ projectId: project.id, ...fields }, client.auth)).errors
      .map(({ type }) => type)
      .toSorted();
  assert.equal(await read({ errorIds }), ["One", "Two"]);
  assert.equal(await read({ errorIds, query: "One" }), ["One"]);
  await rejects(read({ errorIds: [] }), "INVALID_ARGUMENT");
  await rejects(read({ errorIds: Array.from({ length: 101 }, (_, n) => `${n + 1}`) }), "INVALID_ARGUMENT");
});

test.run();
