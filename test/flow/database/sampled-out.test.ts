/** The text on the page of an error about events that spike protection did not store. */
import { randomUUID } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { contractVersion, type Host } from "@faultline/plugin";
import { DeletionState, Role, type Error as TrackedError, type ErrorEvent } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { isOnPostgresql } from "../../support/database/database-of.ts";
import { countOf } from "../../support/database/stored-rows.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { errorEvent } from "../../support/sentry/error-event.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { dayMs, movableClock, testPace } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { artifactBundle, builtCheckout } from "../../support/source-maps/built.ts";
import { uploadBundle } from "../../support/source-maps/upload.ts";

/** One event a second for ten minutes. */
const budget = 600;
const minuteMs = 60_000;

const clock = movableClock();
const config = { ...testConfig(tempDir()), rateLimits: { perKey: 0, perProject: 1 } };

interface Running {
  readonly url: string;
  readonly client: GrpcClient;
  /** The door through which SDKs come. */
  readonly door: Host["events"];
}

async function running<Result>(work: (running: Running) => Promise<Result>, options = config): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Host>();
  const atTheDoor = {
    name: "at-the-door",
    contract: contractVersion,
    start: (host: Host) => Promise.resolve(resolve(host)),
  };
  const faultline = await startFaultline(options, clock, { plugins: [atTheDoor], pace: testPace });
  const client = grpcClient(faultline);
  try {
    return await work({ url: faultline.httpUrl, client, door: (await promise).events });
  } finally {
    client.close();
    await faultline.stop();
  }
}

/** Passes events through the filters as a request does, and returns how many spike protection stopped. */
async function pass({ door }: Running, { key, id: projectId }: Project, events: readonly ErrorEvent[]) {
  const admission = await door.admit(key, projectId);
  const reasons = events.map((event) =>
    door.filter(admission, { event: { ...event, projectId }, sent: {}, clientIp: "203.0.113.7", userAgent: "" }),
  );
  return reasons.filter((reason) => reason === "spike").length;
}

/** Uses up the budget of a project, by events that are stored nowhere. */
async function flood(service: Running, project: Project): Promise<void> {
  const earlier = errorEvent({ message: "earlier" });
  await pass(service, project, Array<ErrorEvent>(budget).fill(earlier));
}

async function floodedProject(service: Running): Promise<Project> {
  const project = await createProject(service);
  await flood(service, project);
  return project;
}

/** Sends as fast as the rate limit allows, on the clock that the test moves. */
async function send(to: Running, project: Project, messages: readonly string[]): Promise<void> {
  const atOnce = 10;
  for (let at = 0; at < messages.length; at += atOnce) {
    clock.at += 10_000;
    const slice = messages.slice(at, at + atOnce);
    const answers = await Promise.all(
      slice.map((message) => sendEvent(to, project, { event_id: newEventId(), message })),
    );
    for (const { status } of answers) assert.is(status, 200);
  }
}

/** The event of the same error at the door. */
const storm = errorEvent({ message: "storm", platform: "other" });

const times = (count: number, message: string) => Array.from({ length: count }, () => message);

async function errorOf({ client }: Running, { id }: Project, title: string): Promise<TrackedError | undefined> {
  return (await storedErrors(client, id)).find((error) => error.title === title);
}

/**
 * The error, once so many of its events are known to be missing. Those that were stopped before its first event was stored
 * are tried again after a minute.
 */
const withSampledOut = (service: Running, project: Project, { title, count }: { title: string; count: number }) =>
  until(`${count} events of ${title} to be counted`, async () => {
    const error = await errorOf(service, project, title);
    if (error?.sampledOutCount === count) return error;
    clock.at += minuteMs;
    return undefined;
  });

async function stoppedIn({ client }: Running, { id: projectId }: Project): Promise<number> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId }, client.auth);
  return Number(outcomes.find(({ reason }) => reason === "spike")?.quantity ?? 0n);
}

test("an error says how many of its events were not stored, and a rare one that none is missing", async () => {
  await running(async (service) => {
    const { client } = service;
    const project = await floodedProject(service);
    const sent = ["rare one", "rare other"].flatMap((rare) => [...times(19, "storm"), rare, ...times(20, "storm")]);
    await send(service, project, sent);
    const stopped = await stoppedIn(service, project);
    assert.ok(stopped > 50, String(stopped));
    const { errorId, eventCount } = await withSampledOut(service, project, { title: "storm", count: stopped });
    assert.is(eventCount + stopped, 2 * 39);
    const { error } = await client.errors.getError({ projectId: project.id, errorId }, client.auth);
    assert.equal([error?.eventCount, error?.sampledOutCount], [eventCount, stopped]);
    const { json } = await rest(service, `GET /projects/${project.id}/error_tracking/errors/${errorId}`);
    assert.is((json as Record<string, unknown>)["sampled_out_count"], stopped);
    for (const title of ["rare one", "rare other"]) {
      const rare = await errorOf(service, project, title);
      assert.equal([rare?.eventCount, rare?.sampledOutCount], [1, 0]);
    }
  });
});

test("a stop of the service writes the last counts", async () => {
  const { project, count } = await running(async (service) => {
    const flooded = await floodedProject(service);
    await send(service, flooded, times(10, "storm"));
    const before = await stoppedIn(service, flooded);
    return { project: flooded, count: before + (await pass(service, flooded, [storm])) };
  });
  await running((service) => withSampledOut(service, project, { title: "storm", count }));
});

test("an error begins anew after it was deleted, and gets the events that were stopped before its first stored one", async () => {
  await running(async (service) => {
    const { client } = service;
    const project = await floodedProject(service);
    await send(service, project, times(10, "storm"));
    const stopped = await stoppedIn(service, project);
    const { errorId } = await withSampledOut(service, project, { title: "storm", count: stopped });
    const target = { case: "errors" as const, value: { errorIds: [errorId] } };
    const { deletion } = await client.deletions.createDeletion({ projectId: project.id, target }, client.auth);
    assert.is(deletion?.state, DeletionState.HIDDEN);

    const meanwhile = await pass(service, project, Array<ErrorEvent>(20).fill(storm));
    assert.ok(meanwhile >= 10, String(meanwhile)); // a minute and what is left of the budget admit the others
    assert.is(await errorOf(service, project, "storm"), undefined);
    clock.at += minuteMs; // the first events of a minute are admitted
    await send(service, project, ["storm"]);
    const again = await withSampledOut(service, project, { title: "storm", count: meanwhile });
    assert.is.not(again.errorId, errorId);
    assert.is(again.eventCount, 1);
  });
});

test("the counts of a day are deleted with its events, after 90 days", async () => {
  const firstDay = clock.at;
  const project = await running(async (service) => {
    const flooded = await floodedProject(service);
    await send(service, flooded, times(20, "storm"));
    await withSampledOut(service, flooded, { title: "storm", count: await stoppedIn(service, flooded) });
    clock.at = firstDay + 50 * dayMs;
    await send(service, flooded, ["storm"]);
    clock.at = firstDay + 92 * dayMs;
    return flooded;
  });
  await running(async (service) => {
    const { errorId } = await withSampledOut(service, project, { title: "storm", count: 0 });
    await until("its old events to be deleted", async () => {
      return (await errorOf(service, project, "storm"))?.eventCount === 1;
    });
    assert.is((await errorOf(service, project, "storm"))?.errorId, errorId);
  });
});

test("10,000 different errors, each stopped once, take no more memory and rows than their bounds", async () => {
  await running(async (service) => {
    const { client } = service;
    const project = await createProject(service);
    const known = Array.from({ length: 1_100 }, (_, n) =>
      errorEvent({ fingerprint: [`known ${n}`], title: `known ${n}`, message: `known ${n}` }),
    );
    for (let from = 0; from < known.length; from += 100) {
      const events = known.slice(from, from + 100).map((event) => ({
        ...event,
        projectId: project.id,
        eventId: newEventId(),
      }));
      clock.at += 10_000; // services may report a hundred in a burst if SDKs may send ten
      await client.ingest.reportEvents({ events }, client.auth);
    }
    await flood(service, project);
    // Of new errors a network sends no more.
    const strange = (name: string, count: number) =>
      Array.from({ length: count }, (_, n) => errorEvent({ fingerprint: [name, String(n)] }));
    await pass(service, project, strange("crowd", 400));

    const rows = () => countOf(config.dataDir, `integrated_sampled_out where project_id = ${project.id}`);
    assert.is(await pass(service, project, known), known.length);
    await until("a thousand of them to be counted", async () => (await rows()) === 1_000);

    // Events beyond the groups that are gathered in a second are counted only in the outcomes.
    const stored = await storedErrors(client, project.id);
    const errorIds = ["known 0", "known 1"].map((title) => stored.find((one) => one.title === title)?.errorId ?? "");
    assert.is(await pass(service, project, [...strange("flood", 10_000), ...known.slice(0, 1)]), 10_001);
    const sampledOut = async () => {
      const { errors } = await client.errors.getErrors({ projectId: project.id, errorIds }, client.auth);
      return errors.map(({ sampledOutCount }) => sampledOutCount);
    };
    await until("a later second to count again", async () => {
      await pass(service, project, known.slice(1, 2));
      return ((await sampledOut())[1] ?? 0) > 1;
    });
    assert.is((await sampledOut())[0], 1);
    assert.is(await rows(), 1_000);
  });
});

test("events of minified code count for the error of their source", async () => {
  await running(async (service) => {
    const { client } = service;
    const project = await floodedProject(service);
    const built = await builtCheckout({ debugId: randomUUID() });
    const debugId = randomUUID();
    const { token } = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
    const upload = { token, organization: "-", projects: [project.path] };
    await uploadBundle(service, artifactBundle(built, debugId), upload);
    await until("its grouping", async () => {
      const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
      return artifactBundles.length > 0 && artifactBundles.every(({ groupingSinceTime }) => groupingSinceTime);
    });
    const filename = "https://shop.example.com/assets/app.js";
    const event = () => ({
      event_id: newEventId(),
      platform: "javascript",
      debug_meta: { images: [{ type: "sourcemap", code_file: filename, debug_id: debugId }] },
      exception: {
        values: [
          {
            type: "Error",
            value: "negative total",
            stacktrace: { frames: [{ function: "t", filename, in_app: true, ...built.thrownAt }] },
          },
        ],
      },
    });
    for (let sent = 0; sent < 30; sent += 10) {
      clock.at += 10_000;
      await Promise.all(Array.from({ length: 10 }, () => sendEvent(service, project, event())));
    }
    const count = await stoppedIn(service, project);
    assert.ok(count > 10);
    const error = await withSampledOut(service, project, { title: "Error: negative total", count });
    assert.is(error.culprit, "totalOf(src/checkout)");
  });
});

if (isOnPostgresql()) {
  test("the process that stops an event counts it for the error that another one stored", async () => {
    await running(async (storing) => {
      const project = await createProject(storing);
      await send(storing, project, ["storm"]);
      const dataDir = tempDir();
      copyFileSync(join(config.dataDir, "secrets.json"), join(dataDir, "secrets.json"));
      await running(
        async (stopping) => {
          await flood(stopping, project);
          const stopped = await pass(stopping, project, Array<ErrorEvent>(12).fill(storm));
          assert.ok(stopped > 0);
          await withSampledOut(storing, project, { title: "storm", count: stopped });
        },
        { ...config, dataDir },
      );
    });
  });
}

test.run();
