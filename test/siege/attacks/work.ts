import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { NotificationTrigger } from "@faultline/proto";
import { signInByForm } from "../../support/console/console.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { bytesOf } from "../../support/http/raw-request.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { again, Answers, flood } from "../flood.ts";
import { onlyError } from "../only-error.ts";

/** 1,000 commits of ten files with the name of the frame. */
async function manyCommits(field: Field): Promise<string> {
  const client = grpcClient(field);
  const auth = { token: field.token };
  const commits = Array.from({ length: 1_000 }, (_, n) => ({
    commitId: n.toString(16).padStart(40, "0"),
    paths: Array.from({ length: 10 }, (_none, file) => `a/${n}/${file}/index.js`),
  }));
  await client.releaseRecords.recordRelease({ projectId: field.project.id, version: "shop@1" }, auth);
  for (let n = 0; n < commits.length; n += 100) {
    const some = commits.slice(n, n + 100);
    await client.releaseRecords.recordCommits({ projectId: field.project.id, version: "shop@1", commits: some }, auth);
  }
  client.close();
  const frames = Array.from({ length: 25 }, (_, n) => ({
    function: "f",
    filename: `/srv/b/${n}/index.js`,
    lineno: 1,
    in_app: true,
  }));
  const exception = { values: [{ type: "Error", value: "suspect", stacktrace: { frames } }] };
  await sendEvent(field, field.project, { event_id: newEventId(), platform: "node", release: "shop@1", exception });
  return onlyError(field);
}

const trusted = { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1" };
const privateNetworks = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8" };

/** Two servers, on a port that channels may have. */
const slowHost = "127.0.0.2";
const quickHost = "127.0.0.3";
const channelPort = 9_000;

/** Webhooks of four projects to a server that answers after 14 s; the message of another project is awaited meanwhile. */
async function slowWebhooks(field: Field): Promise<() => Promise<Tally>> {
  const [slow, quick] = [await receiver(slowHost, channelPort), await receiver(quickHost, channelPort)];
  slow.answers(async () => {
    await delay(14_000, undefined, { ref: false });
    return { status: 200 };
  });
  const client = grpcClient(field);
  const notified = (urls: readonly string[]) =>
    notifiedProject(
      { client, url: field.url },
      {
        channels: urls.map((url) => ({ kind: "webhook", fields: { url } })),
        rules: [{ triggers: [NotificationTrigger.CREATED], channels: urls.map((_, n) => n) }],
      },
    );
  const projects: Project[] = [];
  for (let n = 0; n < 4; n++)
    projects.push(await notified(Array.from({ length: 20 }, (_, at) => `http://${slowHost}:${channelPort}/${at}`)));
  const honest = await notified([`http://${quickHost}:${channelPort}/`]);
  return async () => {
    const answers = new Answers();
    const send = (project: Project) => sendEvent(field, project, { event_id: newEventId(), message: newEventId() });
    for (const project of projects) answers.add((await send(project)).status);
    await until("the slow server is called", () => slow.received.length > 0);
    const startedAt = performance.now();
    await send(honest);
    await until("the message", () => quick.received.length > 0, { deadlineMs: 60_000 });
    const tookMs = Math.round(performance.now() - startedAt);
    if (tookMs > 10_000) answers.faults.push(`a message of another project took ${tookMs} ms`);
    client.close();
    return answers.tally();
  };
}

/** Guesses at names of nobody from all networks of one site; somebody whom the service knows signs in meanwhile. */
async function guessFromSite(field: Field): Promise<Tally> {
  const known = await signInByForm(field, { password: rootPassword });
  const cookie = [known.headers["set-cookie"] ?? []]
    .flat()
    .map((one) => one.split(";", 1)[0])
    .join("; ");
  let waited = 0;
  const owner = (async () => {
    await delay(1_000);
    const startedAt = performance.now();
    const { status } = await signInByForm(field, { password: rootPassword }, { cookie });
    waited = performance.now() - startedAt;
    return status;
  })();
  const guess = async (n: number) => {
    const from = { "X-Forwarded-For": `2001:db8:1:${(n % 65_536).toString(16)}::1` };
    return (await signInByForm(field, { username: `nobody-${n}`, password: "guess" }, from)).status;
  };
  const answers = await again(field, 60, guess, 200);
  const status = await owner;
  if (status !== 303) answers.faults.push(`a known device was answered ${status}`);
  if (waited > 3_000) answers.faults.push(`a known device waited ${Math.round(waited)} ms`);
  return answers.tally();
}

/** Work of one person or project that others would wait for. */
export const work: readonly Attack[] = [
  {
    name: "300 guesses a second from 65,536 networks of one site",
    env: trusted,
    arm: (field) => () => guessFromSite(field),
  },
  {
    name: "700 events a second with the victim's DSN, from 250 networks of one site",
    env: trusted,
    arm: (field) => () =>
      flood(field, {
        connections: 16,
        everyMs: 20,
        next: (n) =>
          bytesOf(field.victim, {
            headers: { "X-Forwarded-For": `2001:db8:1:${(n % 250).toString(16)}::1` },
            body: JSON.stringify({ event_id: newEventId(), message: "flood" }),
          }),
      }),
  },
  {
    name: "a day of 20 MB with the victim's DSN, from one network, by events of 60 kB",
    env: trusted,
    async arm(field) {
      const body = { day_limit_bytes: 20_000_000 };
      const { status, text } = await rest(field, `PUT /projects/${field.victim.id}/error_tracking/quota`, { body });
      if (status !== 200) throw new Error(text);
      return () =>
        flood(field, {
          connections: 16,
          everyMs: 100,
          next: () =>
            bytesOf(field.victim, {
              headers: { "X-Forwarded-For": "203.0.113.9" },
              body: JSON.stringify({
                event_id: newEventId(),
                message: "flood",
                extra: { noise: randomBytes(45_000).toString("base64") },
              }),
            }),
        });
    },
  },
  { name: "80 webhooks to a server that answers after 14 s", env: privateNetworks, arm: slowWebhooks },
  {
    name: "suspect commits of 10,000 files, on 8 connections",
    async arm(field) {
      const id = await manyCommits(field);
      const path = `GET /projects/${field.project.id}/error_tracking/errors/${id}/suspect_commits`;
      return async () =>
        (await again(field, 8, async () => (await rest(field, path, { token: field.token })).status)).tally();
    },
  },
  {
    name: "lists of the errors of 90 projects, 16 at once",
    async arm(field) {
      const client = grpcClient(field);
      for (let n = 0; n < 90; n++) {
        const project = await createProject(field);
        await client.ingest.reportEvents(
          {
            events: Array.from({ length: 50 }, (_, at) => ({
              projectId: project.id,
              eventId: newEventId(),
              title: `Job ${at} failed`,
              fingerprint: [`${at}`],
            })),
          },
          client.auth,
        );
      }
      return async () => {
        const answers = await again(field, 16, async () => {
          let count = 0;
          for await (const _ of client.errors.listAllErrors({}, client.auth)) count++;
          return count > 1 ? "answered" : "empty";
        });
        client.close();
        return answers.tally();
      };
    },
  },
  {
    name: "reports of 1,000 events over gRPC, on 8 connections",
    arm: (field) => async () => {
      const client = grpcClient(field);
      const auth = { token: field.token };
      const { id: projectId } = field.project;
      const answers = await again(field, 8, () => {
        const events = Array.from({ length: 1_000 }, () => ({ projectId, eventId: newEventId(), title: "Job failed" }));
        return client.ingest.reportEvents({ events }, auth).then(
          () => "stored",
          (error: { reason?: number; message: string }) => `reason ${error.reason}`,
        );
      });
      client.close();
      return answers.tally();
    },
  },
  {
    name: "previews of rules over 1,000 errors, on 8 connections",
    async arm(field) {
      const client = grpcClient(field);
      const auth = { token: field.token };
      const { id: projectId } = field.project;
      for (let n = 0; n < 10; n++) {
        const events = Array.from({ length: 100 }, (_, at) => ({
          projectId,
          eventId: newEventId(),
          title: `Job ${n * 100 + at} failed`,
          fingerprint: [`${n}/${at}`],
        }));
        await client.ingest.reportEvents({ events }, auth);
      }
      const rule = { name: "rule", enabled: true, triggers: [NotificationTrigger.CREATED], filter: "", channelIds: [] };
      return async () => {
        const answers = await again(field, 8, () =>
          client.notificationRules.previewNotificationRule({ projectId, rule }, auth).then(
            () => "answered",
            (error: { reason?: number }) => `reason ${error.reason}`,
          ),
        );
        client.close();
        return answers.tally();
      };
    },
  },
];
