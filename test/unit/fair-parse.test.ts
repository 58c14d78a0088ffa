import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Cost } from "@faultline/plugin";
import { nextTurn } from "../../plugins/http-bridge/src/ingest/body/sender.ts";
import { FairParse } from "../../plugins/http-bridge/src/ingest/body/fair-parse.ts";
import { threadMs } from "../support/service/thread-time.ts";

/** Bodies that wait together, each `project:ms` with the time that its work takes; how they were served, turn by turn. */
async function serve(bodies: readonly string[]) {
  let worked = 0;
  const turns = new FairParse(() => worked);
  const served: string[][] = [[]];
  const charged: string[] = [];
  const all = bodies.map(async (body) => {
    const [project = 0, ms = 0] = body.split(":").map(Number);
    await turns.next(project, (time) => charged.push(`${project}:${time}`));
    await undefined; // the work of a request begins some microtasks later
    await undefined;
    served.at(-1)?.push(body);
    worked += ms;
  });
  const isOver = Promise.all(all).then(() => true);
  const nextLoop = () => new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  while (!(await Promise.race([isOver, nextLoop()]))) served.push([]);
  await nextLoop();
  return { served: served.filter((turn) => turn.length > 0), charged };
}

const flat = async (bodies: readonly string[]) => (await serve(bodies)).served.flat();

test("bodies of one project are served in their order", async () => {
  assert.equal(await flat(["1:0.1", "1:0.2", "1:0.3"]), ["1:0.1", "1:0.2", "1:0.3"]);
});

test("a body of another project is served after one of the flood, and not after all", async () => {
  const flood = Array.from({ length: 64 }, () => "1:10");
  const order = await flat([...flood, "2:1", "3:1", "2:2"]);
  assert.equal(order.slice(0, 6), ["1:10", "2:1", "3:1", "1:10", "2:2", "1:10"]);
  assert.is(order.length, 67);
});

test("a turn of the event loop takes up 16 bodies", async () => {
  const { served } = await serve(Array.from({ length: 40 }, (_, n) => `${n % 3}:0`));
  assert.equal(
    served.map((turn) => turn.length),
    [16, 16, 8],
  );
});

test("a turn ends after 16 ms of work", async () => {
  const { served } = await serve(["1:6", "1:6", "1:6", "1:6", "1:70", "2:1"]);
  assert.equal(served, [
    ["1:6", "2:1", "1:6", "1:6"],
    ["1:6", "1:70"],
  ]);
});

/** In which order bodies of one project, each with the time that its first step takes, go through their two steps. */
async function steps(bodies: readonly number[]): Promise<string> {
  let worked = 0;
  const turns = new FairParse(() => worked);
  const done: string[] = [];
  const all = bodies.map(async (ms, n) => {
    await turns.next(1, () => undefined);
    worked += ms;
    done.push(`${n}a`);
    await undefined;
    done.push(`${n}b`);
  });
  await Promise.all(all);
  return done.join(" ");
}

test("usual bodies go through each step together, twice as many each time", async () => {
  assert.is(await steps([1, 1, 1, 0.2, 0.2, 0.2]), "0a 0b 1a 2a 1b 2b 3a 4a 5a 3b 4b 5b");
});

test("bodies that take longer are begun one by one", async () => {
  assert.is(await steps([1, 1, 2, 1, 1, 1]), "0a 0b 1a 2a 1b 2b 3a 3b 4a 5a 4b 5b");
});

test("each body is charged for its own work", async () => {
  assert.equal((await serve(["1:3", "1:4", "2:70", "3:0"])).charged, ["1:3", "2:70", "3:0", "1:4"]);
});

test("a sender pays for the time that its body takes of the event loop", async () => {
  const costs: Cost[] = [];
  await nextTurn({ projectId: 1, charge: (cost) => costs.push(cost) });
  let ms = 0;
  while (ms < 20) ms += threadMs(() => JSON.parse(`[${"{},".repeat(50_000)}{}]`));
  await new Promise(setImmediate);
  assert.is(costs.length, 1);
  assert.ok((costs[0]?.ms ?? 0) >= 10, `${costs[0]?.ms} of ${ms} ms`);
});

test("a newcomer is served again once nothing waits", async () => {
  const turns = new FairParse(() => 0);
  for (let n = 0; n < 3; n++) await turns.next(1, () => undefined);
});

test.run();
