import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

const { server, client } = await sharedServer();

const frame = { module: "shop", filename: "shop.py", function: "fetch", in_app: true };
const group = [
  {
    type: "TimeoutError",
    value: "timed out",
    mechanism: { type: "chained", source: "exceptions[0]", exception_id: 1, parent_id: 0 },
    stacktrace: { frames: [frame] },
  },
  {
    type: "ExceptionGroup",
    value: "unhandled errors in a TaskGroup",
    mechanism: { type: "generic", exception_id: 0, is_exception_group: true },
    stacktrace: { frames: [{ ...frame, function: "run" }] },
  },
];

const events: [claim: string, event: Readonly<Record<string, unknown>>, title: string, place: string][] = [
  [
    "a thrown text keeps type, value and place",
    {
      platform: "node",
      exception: {
        values: [
          {
            type: "Error",
            value: "payment gateway said no",
            mechanism: { type: "generic", handled: true, synthetic: true },
            stacktrace: { frames: [{ module: "shop", filename: "/srv/shop.js", function: "pay", in_app: true }] },
          },
        ],
      },
    },
    "Error: payment gateway said no",
    "pay(shop)",
  ],
  [
    "a group of exceptions of one kind is named by them",
    { platform: "python", exception: { values: group } },
    "TimeoutError: timed out (in ExceptionGroup)",
    "shop in fetch",
  ],
  [
    "a diagnostic exception names nothing, wherever it stands",
    {
      platform: "java",
      exception: {
        values: [
          {
            type: "IllegalStateException",
            value: "cart is empty",
            mechanism: { type: "generic", exception_id: 0 },
            stacktrace: { frames: [{ module: "com.example.Cart", function: "checkout", in_app: true }] },
          },
          {
            type: "DiagnosticCoroutineContextException",
            value: "[StandaloneCoroutine{Cancelling}@6b3f1e9]",
            mechanism: { type: "suppressed", exception_id: 1, parent_id: 0 },
          },
        ],
      },
    },
    "IllegalStateException: cart is empty",
    "com.example.Cart in checkout",
  ],
  [
    "an address as a place has no secret",
    { message: "reset failed", request: { url: "https://ann:pw@h.example/reset?token=s3cret#access_token=zzz" } },
    "reset failed",
    "h.example/reset",
  ],
];

for (const [claim, event, title, place] of events) {
  test(claim, async () => {
    const project = await createProject(server);
    const eventId = newEventId();
    const answer = await sendEvent(server, project, { ...event, event_id: eventId });
    assert.is(answer.status, 200, answer.text);
    const [error] = await storedErrors(client, project.id);
    assert.ok(error);
    assert.equal([error.title, error.culprit], [title, place]);
    const page = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    assert.equal([page.event?.title, page.event?.culprit], [title, place]);
  });
}

test.run();
