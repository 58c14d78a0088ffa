import { ErrorStatus, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";

/** The status of all errors that match is changed in slices, and each change is undone where it is still the newest. */

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };
const { errors, auth } = client;
const { UNSPECIFIED, UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
const errorCount = 1_050;
const sliceErrors = 1_000;
let project: Project;

test.before(
  reported(async () => {
    project = await createProject(server);
    for (let n = 0; n < errorCount; n += 50) {
      clock.at += hourMs; // this many simultaneous new errors would be "Other errors"
      await Promise.all(Array.from({ length: 50 }, (_, i) => report(`Failure ${n + i}`)));
    }
  }),
);

async function report(message: string): Promise<void> {
  const event = { event_id: newEventId(), message, fingerprint: [message] };
  assert.is((await sendEvent(server, project, event)).status, 200);
}

const count = async (status: ErrorStatus, query = "") =>
  (await errors.getErrorCount({ projectId: project.id, status, query }, auth)).count;

interface Asked {
  readonly query?: string;
  readonly status?: ErrorStatus;
  readonly newStatus: ErrorStatus;
  readonly expectedCount: number;
  readonly lastErrorId?: string;
}
const update = (asked: Asked, by = auth) => errors.updateMatchingErrors({ projectId: project.id, ...asked }, by);

test("a call without a number, status or right, or with a wrong number, is refused and changes nothing", async () => {
  await refusedBecause("INVALID_FIELD", update({ newStatus: RESOLVED, expectedCount: 0 }));
  await refusedBecause("INVALID_FIELD", update({ newStatus: UNSPECIFIED, expectedCount: errorCount }));
  await refusedBecause("INVALID_FIELD", update({ status: RESOLVED, newStatus: RESOLVED, expectedCount: 1 }));
  await refusedBecause("EXPECTED_COUNT_DIFFERS", update({ newStatus: RESOLVED, expectedCount: 900 }));
  const reporter = await newMember(client, project.id, Role.REPORTER);
  await refusedBecause("FORBIDDEN", update({ newStatus: RESOLVED, expectedCount: errorCount }, reporter));
  assert.is(await count(UNRESOLVED), errorCount);
});

test("all that match are changed 1,000 at a time, newer ones are left, and the undo leaves what others changed", async () => {
  await update({
    query: `message:"Failure 7"`,
    newStatus: IGNORED,
    expectedCount: await count(UNRESOLVED, `message:"Failure 7"`),
  });
  const ignored = await count(IGNORED);
  assert.ok(ignored > 1, "Failure 7, 70 and so on");
  const first = await update({ newStatus: RESOLVED, expectedCount: errorCount });
  assert.is(first.undo.length, sliceErrors);
  await report("Newer than the first call");
  const second = await update({ newStatus: RESOLVED, expectedCount: 0, lastErrorId: first.lastErrorId });
  assert.is(second.undo.length, errorCount - sliceErrors);
  assert.is(second.lastErrorId, "", "no errors are left");
  assert.equal([await count(UNRESOLVED), await count(RESOLVED), await count(IGNORED)], [1, errorCount, 0]);

  const undo = [...first.undo, ...second.undo];
  const wasIgnored = undo.filter(({ status }) => status === IGNORED);
  assert.is(wasIgnored.length, ignored);
  clock.at += hourMs;
  const [taken] = first.undo.filter(({ status }) => status === UNRESOLVED);
  await errors.updateErrors(
    { projectId: project.id, changes: [{ errorId: taken?.errorId ?? "", status: IGNORED }] },
    auth,
  );
  for (const { undo: changes, changedTime } of [first, second]) {
    const answer = await errors.updateErrors(
      { projectId: project.id, changes, ...(changedTime && { ifChangedTime: changedTime }) },
      auth,
    );
    const left = answer.errors.every(({ errorId }) => errorId !== taken?.errorId);
    assert.ok(left, "somebody has changed it since");
  }
  assert.equal(
    [await count(UNRESOLVED), await count(RESOLVED), await count(IGNORED)],
    [errorCount - ignored, 0, ignored + 1],
  );
});

test.run();
