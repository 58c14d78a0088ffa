/** Nothing that one project does delays a message of another. */
import { ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { notifiedProject } from "../../../support/notifications/notified-project.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { movableFaultline } from "../../../support/service/movable-faultline.ts";

const other = await receiver();
const { client, faultline } = await movableFaultline({
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port] },
  logLevel: "silent",
});
const service = { client, url: faultline.httpUrl };
const { CREATED, STATUS } = NotificationTrigger;
const { IGNORED, RESOLVED, UNRESOLVED } = ErrorStatus;

const hook = (path: string) => ({ kind: "webhook", fields: { url: `${other.url}/${path}` } });
const got = (path: string) => other.received.filter((one) => one.path === `/${path}`).length;

test("4,000 changes of status that wait in a project delay no message of another", async () => {
  const busy = await notifiedProject(service, {
    channels: [hook("busy")],
    rules: [
      { triggers: [STATUS], channels: [0], filter: "release:none" },
      { triggers: [CREATED], channels: [0], filter: "the last change" },
    ],
  });
  const quiet = await notifiedProject(service, {
    channels: [hook("quiet")],
    rules: [{ triggers: [CREATED], channels: [0] }],
  });
  const events = Array.from({ length: 1_000 }, (_, n) => ({
    projectId: busy.id,
    eventId: newEventId(),
    exceptions: [{ type: `Flipped${n}Error`, value: "no more" }],
  }));
  for (let n = 0; n < 10; n++)
    await client.ingest.reportEvents({ events: events.slice(n * 100, n * 100 + 100) }, client.auth);
  const ids: string[] = [];
  let pageToken = "";
  do {
    const page = await client.errors.listErrors({ projectId: busy.id, pageSize: 100, pageToken }, client.auth);
    ids.push(...page.errors.map(({ errorId }) => errorId));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  for (const status of [RESOLVED, UNRESOLVED, IGNORED, RESOLVED]) {
    const changes = ids.map((errorId) => ({ errorId, status }));
    await client.errors.updateErrors({ projectId: busy.id, changes }, client.auth);
  }
  await sendEvent(service, busy, { event_id: newEventId(), message: "the last change" });
  await sendEvent(service, quiet, { event_id: newEventId(), message: "it broke" });
  await until("its message", () => got("quiet") === 1);
  assert.is(got("busy"), 0, "the others are still waiting");
  await until("the last change", () => got("busy") === 1);
});

test.run();
