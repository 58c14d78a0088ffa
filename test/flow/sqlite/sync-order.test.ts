import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { readCalls, watchCalls, whyNoStrace, type SystemCall } from "../../support/service/strace.ts";

const calls = ["read", "write", "writev", "sendmsg", "fsync", "fdatasync"];

/**
 * The acknowledgements that came too early: `200` was written to a socket although the log was not synced after its
 * request had been read.
 */
function earlyAnswers(seen: readonly SystemCall[]): { answers: number; early: SystemCall[] } {
  const waiting = new Map<string, { since: number; isSynced: boolean }>(); // by socket
  let answers = 0;
  const early: SystemCall[] = [];
  for (const call of seen) {
    const { name, parameters, result } = call;
    const socket = /<socket:\[(\d+)\]>|<TCP[^>]*>/.exec(parameters)?.[0];
    if (/^f(data)?sync$/.test(name)) {
      if (result !== 0 || !parameters.includes("faultline.db-wal")) continue;
      for (const one of waiting.values()) one.isSynced ||= call.begun > one.since;
    } else if (socket && name === "read" && parameters.includes('"POST /api/')) {
      waiting.set(socket, { since: call.ended, isSynced: false });
    } else if (socket && parameters.includes('"HTTP/1.1 200')) {
      answers++;
      if (waiting.get(socket)?.isSynced !== true) early.push(call);
      waiting.delete(socket);
    }
  }
  return { answers, early };
}

const log = "9</data/faultline.db-wal>";
const read = `1 read(5<socket:[7]>, "POST /api/1"...) = 9`;
const answer = `1 write(5<socket:[7]>, "HTTP/1.1 200 OK") = 9`;
const begin = `2 fsync(${log} <unfinished ...>`;
const end = `2 <... fsync resumed>) = 0`;
const scripts: [what: string, lines: string[], early: number][] = [
  ["after the sync", [read, `2 fsync(${log}) = 0`, answer], 0],
  ["after a sync that another thread interrupted", [read, begin, end, answer], 0],
  ["before the sync", [read, answer, `2 fsync(${log}) = 0`], 1],
  ["after a sync that failed", [read, `2 fsync(${log}) = -1 EIO`, answer], 1],
  ["while the sync runs", [read, begin, answer, end], 1],
  ["after a sync before the request", [`2 fsync(${log}) = 0`, read, answer], 1],
  ["after a sync that began before the request", [begin, read, end, answer], 1],
  ["after the sync of another file", [read, "2 fsync(8</data/secrets.json>) = 0", answer], 1],
];
for (const [what, lines, early] of scripts) {
  test(`the check itself: an answer ${what} is ${early === 0 ? "fine" : "too early"}`, () => {
    assert.is(earlyAnswers(readCalls(lines.join("\n"))).early.length, early);
  });
}

const missing = whyNoStrace();
if (missing !== "") console.log(`Skipped: each 200 is preceded by a sync of the log, as ${missing}.`);
else {
  const { server } = await runningServer();

  test("each 200 is preceded by a sync of the log that began after its request came, one by one and under load", async () => {
    const project = await createProject(server);
    const send = () => sendStore(server, project, { event_id: newEventId(), message: "synced?" });
    const watching = await watchCalls(server.pid, calls);
    for (let n = 0; n < 20; n++) assert.is((await send()).status, 200);
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 16 }, send));
      assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
    }
    const { answers, early } = earlyAnswers(await watching.calls());
    assert.is(answers, 180);
    assert.equal(early, []);
  });
}

test.run();
