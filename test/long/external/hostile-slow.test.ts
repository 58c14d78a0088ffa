// quiet: others must be served within the ten seconds that slow systems take
import { test } from "uvu";
import * as assert from "uvu/assert";
import { selfSigned } from "../../support/service/certificates.ts";
import { fakeExternal, type FakeAnswer } from "../../support/external/fake-external.ts";
import { runningServer } from "../../support/service/flow.ts";
import {
  doorNames,
  doors,
  type Ending,
  endings,
  endsIn,
  hostileExternal,
  issueId,
  raw,
  secretText,
} from "../../support/external/hostile-external.ts";
import { linkedProject, type LinkedProject } from "../../support/core/linked-project.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { bound, measuringTest, memoryOf, stopwatch, type Measured } from "../../support/measure/measured.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/**
 * Systems that are slow or send too much, with a service in a separate process: other projects do not notice, and
 * memory stays flat.
 */

const { fake, link } = await hostileExternal();
const patient = await fakeExternal();
const good = await fakeExternal({ issues: [{}, {}, {}] });
const certificate = selfSigned();
const secure = await fakeExternal({ tls: certificate, issues: [{}] });
const wrongName = await fakeExternal({ tls: certificate, host: "127.0.0.2" });
const selfMade = await fakeExternal({ tls: selfSigned() });
const all = [fake, patient, good, secure, wrongName, selfMade];
const { server, client } = await runningServer({
  env: {
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: all.map(({ port }) => port).join(","),
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  },
});
test.after(async () => {
  for (const one of all) await one.close();
});

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** Sends `start` and then `more` again and again, so that the connection never rests. */
function dripping(start: string, more: string): FakeAnswer {
  return (response) => {
    const { socket } = response;
    socket?.write(start);
    const timer = setInterval(() => socket?.write(more), 200);
    socket?.once("close", () => clearInterval(timer));
  };
}

const slow: [what: string, answer: FakeAnswer][] = [
  ["no answer at all", raw("", "wait")],
  ["a header that comes by the byte", dripping("HTTP/1.1 200 OK\r\nX-", "a")],
  ["headers that do not end", dripping("HTTP/1.1 200 OK\r\n", "X-A: b\r\n")],
  ["interim answers that do not end", dripping("", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n")],
  ["a body that never comes", raw(`${head}Content-Length: 1000\r\n\r\n`, "wait")],
  ["a body that comes by the byte", dripping(`${head}Content-Length: 100000\r\n\r\n[`, " ")],
  ["a body of chunks that come by the byte", dripping(`${head}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n")],
];

// Asked once for all tests, since it takes its ten seconds: they look at it while it hangs and when it has ended.
const sinceStart = stopwatch();
const ended: { what: string; call: Promise<unknown>; took: Measured }[] = [];
const hanging: Promise<unknown>[] = [];
for (const [what, answer] of slow) {
  // A project has four concurrent calls. A list takes them all, and waiting calls take longer.
  for (const asked of [["the list"], ["an error", "an event", "an update"], ["Connect"]] as const) {
    const project = await link(client);
    fake.answerWith(answer, { token: project.token });
    for (const door of asked) {
      const call = doors[door](client, project, { timeoutMs: 30_000 });
      const note = () => ended.push({ what: `${door}: ${what}`, call, took: sinceStart() });
      hanging.push(call.then(note, note));
    }
  }
}

test("A19: while some wait for slow senders, all others are served as usual", async () => {
  const integrated = await createProject(server);
  const neighbour = await linkedProject(client, good);
  // For each kind: four calls of the list, three calls with a single request, and two of Connect.
  await until("the slow calls", () => fake.openConnections() >= 9 * slow.length);
  const events = 40;
  for (let number = 0; number < events; number++) {
    const { status } = await sendEvent(server, integrated, { event_id: newEventId(), message: `event ${number % 3}` });
    assert.is(status, 200);
    if (number % 2 === 0) await client.errors.listErrors({ projectId: integrated.id }, client.auth);
    else await client.errors.listErrors({ projectId: neighbour.projectId, pageSize: number }, client.auth);
  }
  const { errors } = await client.errors.listErrors({ projectId: integrated.id }, client.auth);
  assert.is(
    errors.reduce((sum, { eventCount }) => sum + eventCount, 0),
    events,
    "all events are stored and shown",
  );
  assert.equal(
    ended.map(({ what }) => what),
    [],
    "the others were served before any of the slow ones ended",
  );
});

// GitLab 483111: two answers of 300 MB took an instance down.
const megabyte = 1_000_000;
/** In MiB, of the second half of the calls over the first. With all answers kept it was 93, else at most 32. */
const growthBound = 61;
const floods: FakeAnswer[] = [
  { body: pageOf(megabyte) },
  { body: `[{"id":"1","title":"${"x".repeat(megabyte)}"}]` },
  { body: `{"title":"${"\\u0000".repeat(megabyte / 6)}"}` },
  { body: `[${"0,".repeat(megabyte / 2 - 2)}0]` },
  { body: "[".repeat(megabyte) },
  { headers: { "Content-Type": "text/html" }, body: secretText.repeat(megabyte / 25) },
  endless(),
];

measuringTest("memory stays flat under 200 answers of a megabyte and more", async () => {
  const projects: LinkedProject[] = [];
  for (const answer of floods) {
    const project = await link(client);
    fake.answerWith(answer, { token: project.token });
    projects.push(project);
  }
  let asked = 0;
  // An event of another name each time, so that nothing is answered from memory, and all of it could be remembered.
  const ask = ({ projectId }: LinkedProject) => {
    const eventId = (asked++).toString(16).padStart(32, "0");
    return client.errors.getEvent({ projectId, errorId: issueId, eventId }, client.auth).catch(() => undefined);
  };
  /** The most that the service held in a number of rounds. */
  const flood = async (rounds: number) => {
    const memory = memoryOf(server.pid);
    for (let round = 0; round < rounds; round++) {
      await Promise.all(projects.map(ask));
      memory.look();
    }
    return memory.peak();
  };
  const sentBefore = fake.bytesSent();
  const first = await flood(20);
  const second = await flood(20);
  assert.ok(fake.bytesSent() - sentBefore > 200 * megabyte);
  bound("memory for 200 answers of a megabyte", second.minus(first), { atMost: growthBound });
});

measuringTest("A19: a slow answer is cut off within ten seconds, with the recorded message", async () => {
  await Promise.all(hanging);
  assert.is(ended.length, slow.length * doorNames.length);
  for (const { what, call, took } of ended) {
    await endsIn(call, endings.late, what);
    bound("the end of a slow answer", took, { atMost: 14_000 });
  }
  await until("the end of all connections", () => fake.openConnections() === 0);
});

test("A19: a caller who leaves takes the call along", async () => {
  const project = await linkedProject(client, patient);
  patient.hold();
  for (const door of doorNames) {
    const left = new AbortController();
    const call = doors[door](client, project, { signal: left.signal }).catch(() => undefined);
    await until(`the call of ${door}`, () => patient.openConnections() > 0, { everyMs: 2 });
    left.abort();
    await call;
    await until(`the end of ${door}`, () => patient.openConnections() === 0, {
      deadlineMs: promised(2_000),
      everyMs: 2,
    });
  }
});

// A18.
const certificates: [what: string, url: string, ending: Ending | undefined][] = [
  ["a certificate of an authority that is known, for the address", secure.url, undefined],
  ["the same certificate at an address that it is not for", wrongName.url, endings.tls],
  ["a certificate that signed itself", selfMade.url, endings.tls],
  ["no TLS where https is asked for", `https://127.0.0.1:${good.port}`, endings.tls],
  ["TLS where http is asked for", `http://127.0.0.1:${secure.port}`, endings.broken],
];
for (const [what, apiUrl, ending] of certificates) {
  test(`A18: ${what} ${ending ? "fails, and no token is sent" : "is taken"}`, async () => {
    const project = await link(client, { apiUrl, token: secure.newToken() });
    const before = all.reduce((sum, { calls }) => sum + calls.length, 0);
    if (!ending) {
      assert.is((await doors.Connect(client, project)).externalProjects.length, 1);
      return;
    }
    for (const door of doorNames) await endsIn(doors[door](client, project), ending, door);
    assert.is(
      all.reduce((sum, { calls }) => sum + calls.length, 0),
      before,
    );
  });
}

test("nothing of it is in the log: no token, and no text of theirs", async () => {
  assert.is(await server.stop(), 0);
  const output = server.output();
  assert.not.match(output, secretText);
  assert.not.match(output, "sntryu_");
  assert.not.match(output, /call failed|unhandled|uncaught/i);
  for (const { complaints } of all) assert.equal(complaints, []);
});

test.run();

function pageOf(bytes: number): string {
  const seen = new Date().toISOString();
  const issue = { title: secretText, culprit: "x".repeat(200), firstSeen: seen, lastSeen: seen };
  const count = Math.floor(bytes / (JSON.stringify(issue).length + 16));
  return JSON.stringify(Array.from({ length: count }, (_, n) => ({ id: `${n + 1}`, ...issue })));
}

function endless(): FakeAnswer {
  return (response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    const chunk = Buffer.alloc(65_536, " ");
    const more = () => {
      while (!response.destroyed) if (!response.write(chunk)) return void response.once("drain", more);
    };
    more();
  };
}
