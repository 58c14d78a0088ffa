import { gzipSync } from "node:zlib";
import { Backend, EventSchema, GetErrorBreakdownResponseSchema } from "@faultline/proto";
import { toJson } from "@bufbuild/protobuf";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { envelope, newEventId, post, sendEvent, sendStore, type Target } from "../../support/sentry/send.ts";
import { countOf, recountOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const dataDir = tempDir();

interface Running {
  readonly url: string;
  readonly client: GrpcClient;
}

/** Runs the service at a time. Packing and retention run at each start. */
async function runAt(time: number, work: (running: Running) => Promise<void>): Promise<void> {
  clock.at = time;
  const faultline = await startFaultline(testConfig(dataDir), clock);
  const client = grpcClient(faultline);
  try {
    await work({ url: faultline.httpUrl, client });
  } finally {
    client.close();
    await faultline.stop();
  }
}

async function createProject({ client }: Running, path: string): Promise<Target> {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const projectId = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
  return { id: projectId, key: clientKeys[0]?.publicKey ?? "" };
}

const loose = () => countOf(dataDir, "integrated_payload");
const blocksOf = ({ id }: Target) =>
  countOf(
    dataDir,
    `integrated_block where last_row_id in (
      select block_row_id from integrated_packed join integrated_event on id = event_row_id where project_id = ${id})`,
  );
const blocks = () => countOf(dataDir, "integrated_block");

const sent: { readonly project: Target; readonly id: string }[] = [];
let shop: Target;
let blog: Target;

/** Everything the service says about each event, and how the events of each error divide. */
async function answers({ client }: Running): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { project, id } of sent) {
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId: id }, client.auth);
    all.push(event && toJson(EventSchema, event));
  }
  for (const { id: projectId } of [shop, blog]) {
    const { errors } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth);
    for (const { errorId } of errors) {
      const breakdown = await client.errors.getErrorBreakdown({ projectId, errorId }, client.auth);
      assert.ok(breakdown.tags.some(({ key }) => key === "place"));
      all.push(toJson(GetErrorBreakdownResponseSchema, breakdown));
    }
  }
  return all;
}

/** Events of several errors, in each form in which payloads are stored. */
async function sendAll(running: Running): Promise<void> {
  const doors = [
    (project: Target, event: { event_id: string }) => sendStore(running, project, event),
    (project: Target, event: { event_id: string }) => sendEvent(running, project, event),
    (project: Target, event: { event_id: string }) => {
      const body = gzipSync(envelope(event.event_id, [{ type: "event" }, event]));
      return post(running, project, "envelope", body, { "Content-Encoding": "gzip" });
    },
  ];
  for (let n = 0; n < 42; n++) {
    const id = newEventId();
    const project = n % 4 === 0 ? blog : shop;
    const extra = { n, text: "ö".repeat(n * 100), long: n === 21 ? "x".repeat(600_000) : "" };
    const tags = { place: `${n % 3}` };
    const event = {
      event_id: id,
      exception: { values: [{ type: `Error${n % 5}`, value: `number ${n}` }] },
      tags,
      extra,
    };
    const answer = await doors[n % doors.length]?.(project, event);
    assert.is(answer?.status, 200, answer?.text);
    sent.push({ project, id });
  }
}

let before: unknown[];

test("events of the last hour are not packed while they are few", () =>
  runAt(clock.at, async (running) => {
    shop = await createProject(running, "shop");
    blog = await createProject(running, "blog");
    await sendAll(running);
    before = await answers(running);
    assert.is(await loose(), sent.length);
  }));

test("packed events read as they did before, and a block holds events of one project", () =>
  runAt(clock.at + 2 * hourMs, async (running) => {
    await until("all are packed", async () => (await loose()) === 0);
    assert.equal(await answers(running), before);
    assert.ok((await blocksOf(shop)) >= 2, "what is too large for a block with others has its own");
    assert.is(await blocksOf(blog), 1);
    assert.is(await blocks(), (await blocksOf(shop)) + 1);
    assert.equal(await recountOf(dataDir), []);
  }));

test("a project that is deleted for good takes its blocks along", async () => {
  await runAt(clock.at, async ({ client }) => {
    await client.projects.deleteProject({ projectId: blog.id }, client.auth);
    clock.at += 8 * dayMs;
  });
  await runAt(clock.at, async () => {
    await until("its block is gone", async () => (await blocks()) === (await blocksOf(shop)));
  });
  assert.is(await blocksOf(blog), 0);
  assert.ok((await blocksOf(shop)) >= 2, "those of the other are there");
});

test("blocks go with their last event by retention", async () => {
  await runAt(clock.at, async () => {
    clock.at += 91 * dayMs;
  });
  await runAt(clock.at, async () => {
    await until("all events are gone", async () => (await countOf(dataDir, "integrated_event")) === 0);
  });
  assert.is(await blocks(), 0);
});

test.run();
