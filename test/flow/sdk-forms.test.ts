import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../support/core/project.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { repositoryRoot } from "../support/service/server.ts";
import { envelope, newEventId, sendEnvelope } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { untried } from "../../console/src/routes/[...project]/-/error_tracking/get_started/snippets.ts";

/** Events in the form of SDKs that get started shows and that `npm test` does not run (test/fixtures/sdk-forms). */

const { server, client } = await sharedServer();

/** By the key on the get-started page: the title, the place, and the frames of the application, newest last. */
const meant: Readonly<Record<string, readonly [title: string, culprit: string, ...appFrames: string[]]>> = {
  laravel: ["RuntimeException: The card was refused", "/cart/{id}", "", "App\\Http\\Controllers\\CartController::pay"],
  spring: ["IllegalStateException: Test from Faultline", "GET /faultline-test", "trigger"],
  dotnet: [
    "System.InvalidOperationException: The card was refused",
    "GET /cart/{id}",
    "IResult CartController.Pay(int id)",
  ],
  android: ["IllegalStateException: The card was refused", "com.shop.CartActivity in onPay", "onPay"],
  ios: [
    "NSRangeException: *** -[__NSArrayM objectAtIndexedSubscript:]: index 3 beyond bounds [0 .. 1]",
    "$s4Shop14CartControllerC3payyyF",
    "$s4Shop14CartControllerC3payyyF",
  ],
  "react-native": ["Error: The card was refused", "onPay(app:///index.android.bundle)", "onPay"],
  flutter: ["StateError: Bad state: The card was refused", "cart.dart in CartPage.pay", "CartPage.pay"],
};

test("each SDK whose lines were not run has a form", () => {
  assert.equal(
    untried.filter(({ key }) => !Object.hasOwn(meant, key)),
    [],
  );
});

for (const [key, asMeant] of Object.entries(meant)) {
  test(`two events in the form of the SDK for ${key} are one error, with its title, place and frames`, async () => {
    const project = await createProject(server);
    const event: object = JSON.parse(
      readFileSync(join(repositoryRoot, "test/fixtures/sdk-forms", `${key}.json`), "utf8"),
    );
    for (let n = 0; n < 2; n++) {
      const eventId = newEventId();
      const body = envelope(eventId, [
        { type: "event" },
        { event_id: eventId, timestamp: Date.now() / 1000, ...event },
      ]);
      assert.is((await sendEnvelope(server, project, body)).status, 200);
    }
    const errors = await storedErrors(client, project.id);
    assert.equal(
      errors.map(({ eventCount }) => Number(eventCount)),
      [2],
    );
    const [error] = errors;
    const [eventId = ""] = await storedEventIds(client, project.id, error?.errorId ?? "");
    const { event: stored } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    const frames = stored?.exceptions.flatMap((one) => one.frames) ?? [];
    const ours = frames.filter(({ inApp }) => inApp).map((frame) => frame.function);
    assert.equal([error?.title, error?.culprit, ...ours], asMeant);
  });
}

test.run();
