import { TrackerIssueState as State } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../../support/core/project.ts";
import { freshDatabase } from "../../../support/database/postgresql.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { killAll, startProcesses, type Process } from "../../../support/service/several-processes.ts";
import { gitlabManner } from "../../../support/trackers/gitlab.ts";
import { playedTracker } from "../../../support/trackers/played-tracker.ts";

const tracker = await playedTracker(gitlabManner);
const url = await freshDatabase();
const processes = await startProcesses([url, url], {
  FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
  FAULTLINE_OUTBOUND_PORTS: String(tracker.port),
});
test.after(() => killAll(processes));
const [here, there] = processes as [Process, Process];

test("two processes that are asked simultaneously for the issue of an error create one", async () => {
  const { auth } = here.client;
  const project = await createProject(here.server);
  const projectId = project.id;
  const added = await here.client.trackers.createTracker(
    { projectId, kind: "gitlab", name: "Issues", fields: tracker.fields },
    auth,
  );
  const trackerId = added.tracker?.trackerId ?? 0;
  for (let n = 0; n < 5; n++) {
    await sendEvent(here.server, project, { event_id: newEventId(), message: "again", fingerprint: [`${n}`] });
  }
  const { errors } = await here.client.errors.listErrors({ projectId }, auth);
  assert.is(errors.length, 5);
  const asked = errors.flatMap(({ errorId }) =>
    [here, there, here, there].map(({ client }) =>
      client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, client.auth),
    ),
  );
  await Promise.all(asked);
  await until("all are open", async () => {
    const read = errors.map(({ errorId }) => there.client.trackerIssues.getTrackerIssue({ projectId, errorId }, auth));
    return (await Promise.all(read)).every(({ issue }) => issue?.state === State.OPEN);
  });
  assert.is(tracker.issues.all.length, 5);
});

test.run();
