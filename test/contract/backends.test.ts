import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableClock, movableFaultline } from "../support/service/movable-faultline.ts";
import { contractSuite } from "./contract-suite.ts";
import { now } from "./data.ts";
import { faultlineWorld } from "./worlds/faultline.ts";
import { integratedWorld } from "./worlds/integrated.ts";
import { sentrySystem, sentryWorld } from "./worlds/sentry.ts";

/** The same cases against each backend, with the same errors behind them (specification 1.3). */

const clock = movableClock();
clock.at = now;
const source = await movableFaultline({}, clock);
const sentry = await sentrySystem(clock);
test.after(() => sentry.close());
const ports = [Number(new URL(source.faultline.httpUrl).port), sentry.port];
const reader = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports } }, clock);

contractSuite(test, await integratedWorld(source));
contractSuite(test, await faultlineWorld(reader, source));
contractSuite(test, await sentryWorld(reader.client, sentry));

test("sentry: no call of a case was one that the system objects to", () => {
  assert.ok(sentry.calls.length > 50);
  assert.equal(sentry.complaints, []);
});

test.run();
