import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../../support/assert/assert-answer.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";

const { server, client } = await runningServer();
const project = await createProject(server);
const path = `/projects/${project.id}/error_tracking/bulk_updates`;
const developer = await newMember(client, project.id, Role.DEVELOPER);

type Body = Readonly<Record<string, unknown>>;

const call = async (what: string, status: number, body?: object) =>
  (await answered(rest(server, what, { body, token: developer.token }), status)).json as Body;

test("all errors that match are resolved, read, stopped too late, undone once and listed", async () => {
  for (const message of ["noise 1", "noise 2", "signal"]) {
    await answered(sendEvent(server, project, { event_id: newEventId(), message, fingerprint: [message] }), 200);
  }
  const wanted = { new_status: "resolved", query: "noise", status: "unresolved" };
  await call(`POST ${path}`, 400, wanted);
  await call(`POST ${path}`, 400, { ...wanted, new_status: "open", expected_count: 2 });
  const { message } = await call(`POST ${path}`, 409, { ...wanted, expected_count: 3 });
  assert.match(String(message), /2 errors match now, but 3 were expected, so nothing was changed/);

  const update = await call(`POST ${path}`, 202, { ...wanted, expected_count: 2 });
  assert.equal(
    [update["state"], update["found_count"], update["changed_count"], update["created_by"], update["new_status"]],
    ["changed", 2, 2, developer.username, "resolved"],
  );
  const one = `${path}/${String(update["id"])}`;
  assert.equal(await call(`GET ${one}`, 200), { bulk_update: update, left_errors: [] });
  assert.equal(await call(`POST ${one}/stop`, 200), update);
  const undone = await call(`POST ${one}/undo`, 200);
  assert.equal(
    [undone["state"], undone["restored_count"], undone["kept_count"], undone["undone_by"]],
    ["undone", 2, 0, developer.username],
  );
  await call(`POST ${one}/undo`, 409);
  assert.equal(await call(`GET ${path}`, 200), [undone]);
  assert.equal(await call(`GET ${path}?running=true`, 200), []);
  await call(`GET ${path}/x`, 404);
  await call(`GET ${path}/999`, 404);
});

test.run();
