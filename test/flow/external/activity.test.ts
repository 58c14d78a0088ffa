import { ActivityKind, ErrorStatus } from "@faultline/proto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";

/** The activity of an error that an external system stores: what is changed here, and what the error itself says. */

const { STATUS_CHANGED, REOPENED, CREATED } = ActivityKind;
const clock = movableClock();
const firstSeen = clock.at - 3 * hourMs;
const lastSeen = clock.at - hourMs;
const seen = { firstSeen, lastSeen, firstRelease: "shop@1" };
const fake = await fakeExternal({
  clock,
  issues: [
    { id: "1001", ...seen },
    { id: "1002", ...seen, cameBack: true },
  ],
});
const { client } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports: [fake.port] } }, clock);
const { projectId } = await linkedProject(client, fake);
test.after(() => fake.close());

async function activityOf(errorId: string) {
  const { entries, ownChangesOnly } = await client.activity.listErrorActivity({ projectId, errorId }, client.auth);
  const listed = entries.map(({ kind, actor, status, release, time }) => [
    kind,
    actor || release,
    status,
    time && timestampMs(time),
  ]);
  return { listed, ownChangesOnly };
}

test("changes made here are listed with their person, changes made there are not, and the answer says so", async () => {
  const created = [CREATED, "shop@1", ErrorStatus.UNRESOLVED, firstSeen];
  assert.equal(await activityOf("1001"), { listed: [created], ownChangesOnly: true });
  const changes = [{ errorId: "1001", status: ErrorStatus.RESOLVED }];
  await client.errors.updateErrors({ projectId, changes }, client.auth);
  const resolved = [STATUS_CHANGED, "root", ErrorStatus.RESOLVED, clock.at];
  assert.equal(await activityOf("1001"), { listed: [resolved, created], ownChangesOnly: true });
  const [issue] = fake.data.issues;
  if (issue) issue.status = "ignored";
  clock.at += hourMs;
  assert.is(
    (await client.errors.getError({ projectId, errorId: "1001" }, client.auth)).error?.status,
    ErrorStatus.IGNORED,
  );
  assert.equal(await activityOf("1001"), { listed: [resolved, created], ownChangesOnly: true });
});

test("if an event reopened an error, this is listed at the time of its newest event", async () => {
  assert.equal((await activityOf("1002")).listed, [
    [REOPENED, "", ErrorStatus.UNRESOLVED, lastSeen],
    [CREATED, "shop@1", ErrorStatus.UNRESOLVED, firstSeen],
  ]);
});

test("all calls were such as a well-behaved client makes", () => assert.equal(fake.complaints, []));

test.run();
