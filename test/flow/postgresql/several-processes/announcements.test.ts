import { mostAnnouncedBytes } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { PostgresqlAnnouncements } from "../../../../backend/src/storage/database/postgresql/announcements.ts";
import { NotListening } from "../../../../backend/src/storage/database/postgresql/listening-connection.ts";
import { startPooler } from "../../../support/database/pooler.ts";
import { freshDatabase, socketOf, throughPort, withPostgresql } from "../../../support/database/postgresql.ts";
import { startTcpProxy } from "../../../support/http/tcp-proxy.ts";
import { promised } from "../../../support/run/deadlines.ts";
import { until } from "../../../support/run/until.ts";

const url = await freshDatabase();
const proxy = await startTcpProxy(socketOf(url));
const urlOfProxy = throughPort(url, proxy.port);

/** One process's announcements, what it heard of the subject `news`, and how often it may have missed some. */
async function listener(at: string) {
  const announcements = await PostgresqlAnnouncements.open(at);
  const heard: string[] = [];
  const state = { announcements, heard, missed: 0 };
  announcements.subscribe("news", (text) => {
    if (text === "of another release") throw new SyntaxError("an unknown form");
    heard.push(text);
  });
  announcements.onMissed(() => state.missed++);
  return state;
}

const [one, other] = [await listener(url), await listener(urlOfProxy)];
test.after(async () => {
  await Promise.all([one.announcements.close(), other.announcements.close()]);
  await proxy.stop();
});
const clear = () => {
  for (const each of [one, other]) [each.heard.length, each.missed] = [0, 0];
};
test.before.each(clear);

test("an announcement of one process reaches the others once and in order, equal texts too, and never itself", async () => {
  const announced = [
    ...Array.from({ length: 200 }, (_, n) => `${n} \n"ü"`),
    "again",
    "again",
    "x".repeat(mostAnnouncedBytes),
  ];
  for (const text of announced) one.announcements.announce("news", text);
  one.announcements.announce("something else", "nobody listens");
  await until("all of it", () => other.heard.length >= announced.length);
  other.announcements.announce("news", "the answer");
  await until("the answer", () => one.heard.length > 0);
  assert.equal(other.heard, announced);
  assert.equal(one.heard, ["the answer"]);
  assert.equal([one.missed, other.missed], [0, 0]);
});

test("a text that is too long is a fault of its sender", () => {
  assert.throws(() => one.announcements.announce("news", "ü".repeat(mostAnnouncedBytes / 2 + 1)), /too long/);
});

test("an unreadable announcement counts as missed", async () => {
  one.announcements.announce("news", "of another release");
  await until("it is missed", () => other.missed === 1);
});

test("a connection that says nothing is noticed within a second, and replaced after two", async () => {
  proxy.swallow("there", "back");
  await until("doubt", () => other.missed > 0, { deadlineMs: promised(1_000) });
  one.announcements.announce("news", "not heard by the other");
  other.announcements.announce("news", "not heard by anybody");
  const pid = other.announcements.backendPid;
  await until("it is given up", () => other.announcements.backendPid === 0 && pid !== 0);
  proxy.mend();
  await until("it is back", () => other.announcements.backendPid > 0);
  // Its announcements were lost, so the others may have missed something.
  await until("the loss is reported", () => one.missed > 0);
  other.announcements.announce("news", "heard again");
  one.announcements.announce("news", "heard again");
  await until("they hear each other", () => one.heard.includes("heard again") && other.heard.includes("heard again"));
  assert.equal([one.heard, other.heard], [["heard again"], ["heard again"]]);
});

test("a connection that the server closes is replaced immediately, and announcements may have been missed", async () => {
  const pid = one.announcements.backendPid;
  await withPostgresql(url, (client) => client.query("select pg_terminate_backend($1)", [pid]));
  await until("another connection", () => ![0, pid].includes(one.announcements.backendPid));
  await until("it is reported", () => one.missed > 0);
});

test("the last announcement arrives although its process closes", async () => {
  const last = await listener(url);
  for (let n = 0; n < 100; n++) last.announcements.announce("news", `${n}`);
  await last.announcements.close();
  await until("all of it", () => one.heard.length === 100);
});

for (const mode of ["session", "transaction"] as const)
  test(`behind a pooler that lends connections by ${mode} announcements ${mode === "session" ? "work" : "are refused"}`, async () => {
    const pooler = await startPooler(socketOf(url), mode);
    const pooled = PostgresqlAnnouncements.open(throughPort(url, pooler.port));
    if (mode === "transaction") {
      const refusal: unknown = await pooled.catch((error: unknown) => error);
      assert.instance(refusal, NotListening);
    } else {
      const announcements = await pooled;
      const heard: string[] = [];
      announcements.subscribe("news", (text) => heard.push(text));
      announcements.announce("news", "from behind it");
      await until("what it announces", () => one.heard.includes("from behind it"));
      one.announcements.announce("news", "from before it");
      await until("what it hears", () => heard.length > 0);
      assert.equal(heard, ["from before it"], "not what it announced itself");
      await announcements.close();
    }
    await pooler.stop();
  });

test.run();
