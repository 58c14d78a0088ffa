import { Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { dayMs, hourMs } from "../../support/service/movable-faultline.ts";
import { newEventId, sendStore, type Target } from "../../support/sentry/send.ts";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

const yearMs = 365 * dayMs;

/** The machine: what time it is, how wrong its clock is, and how long its processor has run. */
const machine = {
  truth: Date.UTC(2026, 0, 10, 12),
  wrongBy: 0,
  ranMs: 0,
  now: () => machine.truth + machine.wrongBy,
  passed: () => machine.ranMs,
};

const dataDir = tempDir();
const config = testConfig(dataDir);
let project: Target;

/** Runs the service for a while. Deletion by age runs at each start, and a stop waits for it. */
async function run(options: { forMs?: number; jumpBy?: number; messages?: readonly string[] } = {}): Promise<void> {
  const { forMs = 0, jumpBy = 0, messages = [] } = options;
  const faultline = await startFaultline(config, machine);
  try {
    machine.wrongBy += jumpBy;
    machine.truth += forMs;
    machine.ranMs += forMs;
    for (const message of messages) {
      const { status } = await sendStore({ url: faultline.httpUrl }, project, { event_id: newEventId(), message });
      assert.is(status, 200);
    }
  } finally {
    await faultline.stop();
  }
}

/** Titles of the events that are stored, and when they seem to have been received; counts everything again. */
async function stored(): Promise<{ title: string; receivedAt: number }[]> {
  assert.equal(await recountOf(dataDir), []);
  const rows = await rowsOf(dataDir, "select title, received_at from integrated_event");
  return rows.map(({ title, received_at: at }) => ({ title: String(title), receivedAt: Number(at) }));
}

const titles = async () => (await stored()).map(({ title }) => title).toSorted();

const toYear = (year: number) => () => Date.UTC(year, 0, 1) - machine.truth;
const by = (ms: number) => () => ms;

/** How wrong the clock becomes, and whether while the service runs or while it is stopped. */
const jumps: readonly (readonly [name: string, wrongBy: () => number, isWhileRunning: boolean])[] = [
  ["an hour ahead", by(hourMs), true],
  ["an hour behind", by(-hourMs), true],
  ["a second behind, as by a leap second", by(-1_000), true],
  ["a day ahead", by(dayMs), true],
  ["a day behind", by(-dayMs), true],
  ["a day ahead across a restart", by(dayMs), false],
  ["a day behind across a restart", by(-dayMs), false],
  ["91 days ahead", by(91 * dayMs), true],
  ["91 days behind", by(-91 * dayMs), true],
  ["91 days ahead across a restart", by(91 * dayMs), false],
  ["91 days behind across a restart", by(-91 * dayMs), false],
  ["ten years ahead", by(10 * yearMs), true],
  ["ten years behind", by(-10 * yearMs), true],
  ["ten years ahead across a restart", by(10 * yearMs), false],
  ["1970", toYear(1970), true],
  ["2106", toYear(2106), true],
  ["1970 across a restart", toYear(1970), false],
  ["2106 across a restart", toYear(2106), false],
  ["59 seconds ahead", by(59_000), true],
  ["118 seconds ahead", by(118_000), true],
  ["177 seconds ahead", by(177_000), true],
];

/** When the first one comes. */
const jumpsBeginAt = machine.truth + 88 * dayMs;

const wrongTitles = jumps.map(([name]) => `received: ${name}`);

test("before all jumps there are events of nearly 90 days and of today", async () => {
  const faultline = await startFaultline(config, machine);
  const client = grpcClient(faultline);
  const { project: made } = await client.projects.createProject({ path: "shop" }, client.auth);
  const id = made?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  project = { id, key: clientKeys[0]?.publicKey ?? "" };
  client.close();
  await faultline.stop();
  await run({ messages: ["first", "first"] });
  await run({ forMs: 88 * dayMs });
  await run({ messages: ["second", "second"] });
  assert.equal(await titles(), ["first", "first", "second", "second"]);
});

let expected = ["first", "first", "second", "second"];
for (const [n, [name, wrongBy, isWhileRunning]] of jumps.entries())
  test(`a clock that jumps deletes nothing: ${name}`, async () => {
    const jumpBy = wrongBy() - machine.wrongBy;
    const title = wrongTitles[n] ?? "";
    if (!isWhileRunning) machine.wrongBy += jumpBy;
    await run({ forMs: hourMs, jumpBy: isWhileRunning ? jumpBy : 0, messages: [title] });
    if (isWhileRunning) await run(); // what deletes sees the jump in its next run
    expected = [...expected, title];
    assert.equal(await titles(), expected.toSorted());
  });

test("events received while the clock was behind are dated about right", async () => {
  const behind = (await stored()).filter(({ title }) => /behind|1970/.test(title));
  assert.is(behind.length, 9);
  for (const { title, receivedAt } of behind) {
    const isRight = receivedAt >= jumpsBeginAt && receivedAt <= machine.truth;
    assert.ok(isRight, `${title}: ${new Date(receivedAt).toISOString()}`);
  }
});

test("once the clock is right, time deletes what is old, hour by hour, and nothing else", async () => {
  machine.wrongBy = 0;
  await run();
  assert.equal(await titles(), expected.toSorted());
  await run({ forMs: 3 * dayMs });
  await run();
  expected = expected.filter((title) => title !== "first");
  assert.equal(await titles(), expected.toSorted());
});

test("in the end only events received while the clock was far ahead are kept, until that time", async () => {
  await run({ forMs: 91 * dayMs });
  await run();
  assert.equal(
    await titles(),
    wrongTitles.filter((title) => /91 days ahead|ten years ahead|2106/.test(title)).toSorted(),
  );
});

test("a machine that was switched off for months deletes again after 72 hours of running, not before", async () => {
  await run({ messages: ["third"] });
  machine.truth += 200 * dayMs;
  await run({ forMs: hourMs });
  await run({ forMs: 70 * hourMs });
  assert.ok((await titles()).includes("third"));
  await run({ forMs: 2 * hourMs });
  await run();
  assert.not((await titles()).includes("third"));
});

test.run();
