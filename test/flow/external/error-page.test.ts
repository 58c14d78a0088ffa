import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { http } from "../../support/http/http.ts";
import { until } from "../../support/run/until.ts";
import { runningServer } from "../../support/service/flow.ts";

const fake = await fakeExternal({ issues: [{ id: "1001", events: [{ payload: { message: "no stock" } }] }] });
test.after(() => fake.close());
const { server, client } = await runningServer({
  env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(fake.port) },
});
const cookie = sessionCookie(await signInByForm(server));

test("the page of an error asks for all that it shows in one round", async () => {
  const { path } = await linkedProject(client, fake);
  const held = fake.hold();
  const page = http(`${server.url}/${path}/-/error_tracking/1001/details`, { headers: { Cookie: cookie } });

  // The error, its counts and its latest event are requested concurrently.
  await until("three calls that wait", () => held.waiting() === 3);
  held.release();

  assert.is((await page).status, 200);
});

test.run();
