import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../../support/core/project.ts";
import {
  ask,
  assertNothingStored,
  onlyEvent,
  testCases,
  times,
  type Conversation,
} from "../../../support/sentry/robustness.ts";
import { newEventId, post } from "../../../support/sentry/send.ts";
import { storedErrors } from "../../../support/database/stored.ts";
import { bound, stopwatch } from "../../../support/measure/measured.ts";

/** Cases 56, 116 and 117: the state after many simultaneous requests, and after a lost database. */
const conversations: readonly Conversation[] = [
  {
    number: 56,
    claim: "the same event at both doors, 20 times at once, is one event and counts once",
    async hold({ server, client, project }) {
      const id = newEventId();
      const payload = JSON.stringify({ event_id: id, message: "again", user: { id: 1 } });
      const requests = times(20, (index) =>
        index % 2 === 0
          ? { body: payload }
          : { door: "envelope" as const, body: `{"event_id":"${id}"}\n{"type":"event"}\n${payload}` },
      );
      const answers = await Promise.all(requests.map((request) => ask(server, project, request)));
      assert.ok(answers.every((answer) => answer?.status === 200 && answer.text === `{"id":"${id}"}`));
      const errors = await storedErrors(client, project.id);
      assert.equal(
        errors.map(({ eventCount, affectedUserCount }) => [eventCount, affectedUserCount]),
        [[1, 1]],
      );
    },
  },
  {
    number: 117,
    // SQLite waits two seconds for the lock of another program, a batch of events waits for at most one other writer,
    // and requests that wait two seconds for a batch are refused with it.
    claim: "without its database events are refused with 503 within eight seconds, and nothing is left of them",
    async hold({ server, client, project }) {
      const request = { body: JSON.stringify({ event_id: newEventId(), message: "lost" }) };
      const database = new DatabaseSync(join(server.dataDir, "faultline.db"));
      database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
      const time = stopwatch();
      try {
        const refusals = await Promise.all(times(5, () => post(server, project, "store", request.body)));
        for (const { status, headers, text } of refusals) {
          assert.is(status, 503, text);
          assert.match(String(headers["retry-after"]), /^[1-9]\d*$/);
        }
        bound("the refusal of events without the database", time(), { atMost: 8_000 });
      } finally {
        database.close();
      }
      await assertNothingStored(client, project);
      await createProject(server); // other writes continue as well
      assert.is((await ask(server, project, request))?.status, 200);
      assert.is((await onlyEvent(client, project)).message, "lost");
    },
  },
];

testCases([], conversations, { failure: /events could not be stored|SQLITE_BUSY/ });
test.run();
