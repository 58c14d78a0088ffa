import { ErrorStatus } from "@faultline/proto";
import * as assert from "uvu/assert";
import { createProject, type Project } from "../core/project.ts";
import { until } from "../run/until.ts";
import { newEventId, sendEvent } from "../sentry/send.ts";
import { movableFaultline } from "../service/movable-faultline.ts";
import { playedTracker, type Manner, type PlayedTracker } from "./played-tracker.ts";

let count = 0;

/** A service on a clock that the test moves, played trackers that it may call, and helpers for tests of issues. */
export async function trackedService(manners: readonly Manner[]) {
  const played = await Promise.all(manners.map(playedTracker));
  const { client, faultline, clock } = await movableFaultline({
    outbound: { networks: ["127.0.0.0/8"], ports: played.map(({ port }) => port) },
    logLevel: "silent",
  });
  const { auth } = client;
  const service = { url: faultline.httpUrl };

  /** A project with a tracker. */
  async function tracked(tracker: PlayedTracker, more: { onlyComments?: boolean } = {}) {
    const project = await createProject(service);
    const { kind } = tracker.manner;
    const { tracker: made, webhookSecret } = await client.trackers.createTracker(
      { projectId: project.id, kind, name: "Issues", fields: tracker.fields, ...more },
      auth,
    );
    assert.ok(made);
    return { ...project, projectId: project.id, trackerId: made.trackerId, webhookUrl: made.webhookUrl, webhookSecret };
  }

  const errorsOf = async (projectId: number) => (await client.errors.listErrors({ projectId }, auth)).errors;

  /** Sends an event and returns its error. */
  async function failing(project: Project, message: string, more: object = {}): Promise<string> {
    await sendEvent(service, project, { event_id: newEventId(), message, ...more });
    const found = (await errorsOf(project.id)).find(({ title }) => title === message.split("\n")[0]);
    assert.ok(found, message);
    return found.errorId;
  }

  const issueOf = async (projectId: number, errorId: string) =>
    (await client.trackerIssues.getTrackerIssue({ projectId, errorId }, auth)).issue;

  const statusOf = async (projectId: number, errorId: string) =>
    (await client.errors.getError({ projectId, errorId }, auth)).error?.status;

  async function setStatus(projectId: number, errorId: string, status: ErrorStatus): Promise<void> {
    await client.errors.updateErrors({ projectId, changes: [{ errorId, status }] }, auth);
  }

  /** Lets time pass until something has happened. */
  const waitFor = (awaited: string, condition: () => boolean | Promise<boolean>, stepMs = 5_000) =>
    until(awaited, async () => {
      clock.at += stepMs;
      return condition();
    });

  const newMessage = () =>
    `the shop ${"abcdefghij"[(count += 1) % 10]}${"klmnopqrst"[Math.floor(count / 10)]} is closed`;

  return { played, client, auth, service, clock, tracked, failing, issueOf, statusOf, setStatus, waitFor, newMessage };
}
