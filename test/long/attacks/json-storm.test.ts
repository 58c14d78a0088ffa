// quiet: loads the machine
import { test } from "uvu";
import * as assert from "uvu/assert";
import { gzipSync } from "node:zlib";
import { createProject, type Project } from "../../support/core/project.ts";
import type { HttpAnswer } from "../../support/http/http.ts";
import { newEventId, post, sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";

/**
 * A kilobyte from one DSN must not take the event loop from all other projects: bodies have a price in addition to
 * their count. turns.test.ts shows that projects are served in rotation, because clients on a busy machine do not see
 * the order.
 */

const { server } = await runningServer({
  env: { FAULTLINE_RATE_LIMIT_KEY: "300", FAULTLINE_RATE_LIMIT_PROJECT: "600" },
});

const connections = 64;

/** An event with so many empty exceptions; sent it takes about a kilobyte. */
const objects = (count: number) => gzipSync(`{"message":"x","exception":{"values":[${"{},".repeat(count - 1)}{}]}}`);
const tooMany = objects(349_000);
const gzip = { "Content-Encoding": "gzip" };
const storm = (project: Project, body: Buffer) => post(server, project, "store", body, gzip);
const event = (project: Project) => sendEvent(server, project, { event_id: newEventId(), message: "of the others" });

test("64 connections that send 349,000 objects each are refused, and events of another project are stored", async () => {
  const [attacked, other] = [await createProject(server), await createProject(server)];
  const flood = Array.from({ length: connections }, async () => {
    const answers: HttpAnswer[] = [];
    for (let n = 0; n < 3; n++) answers.push(await storm(attacked, tooMany));
    return answers;
  });
  const stored: number[] = [];
  for (let n = 0; n < 20; n++) stored.push((await event(other)).status);
  assert.equal(new Set(stored), new Set([200]));
  const refused = (await Promise.all(flood)).flat();
  assert.equal(new Set(refused.map(({ status }) => status)), new Set([400]));
  assert.match(refused[0]?.text ?? "", /more than 50000 values/);
});

test("senders beyond the bytes of a key are refused before the body is read, and nobody else is", async () => {
  const [attacked, other] = [await createProject(server), await createProject(server)];
  const attachment = gzipSync(`{}\n{"type":"attachment"}\n${"a".repeat(1_000_000)}`);
  let refusal: HttpAnswer | undefined;
  const stored: number[] = [];
  const flood = Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 100 && !refusal; n++) {
      const answer = await post(server, attacked, "envelope", attachment, gzip);
      if (answer.status !== 200) refusal = answer;
    }
  });
  const isOver = Promise.all(flood).then(() => true);
  while (!(await Promise.race([isOver, event(other).then(({ status }) => void stored.push(status))])));
  assert.is(refusal?.status, 429, refusal?.text);
  assert.match(refusal?.text ?? "", /This client key has reached its rate limit.*sends more bytes/);
  assert.match(String(refusal?.headers["retry-after"]), /^[1-9]\d*$/);
  assert.match(String(refusal?.headers["x-sentry-rate-limits"]), /^[1-9]\d*::key:rate_limit$/);
  assert.equal(new Set(stored), new Set([200]));
});

test.run();
