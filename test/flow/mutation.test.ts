import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readCaptures, withDsnOf, type Capture } from "../support/capture.ts";
import { grpcClient, type GrpcClient } from "../support/grpc.ts";
import { mutate, type Sample } from "../support/mutation.ts";
import { createProject, type Project } from "../support/project.ts";
import { randomOf } from "../support/random.ts";
import { bytesOf, headOf } from "../support/raw-request.ts";
import { openSocket, type RawSocket } from "../support/raw-socket.ts";
import { recount } from "../support/recount.ts";
import { reported } from "../support/reported.ts";
import { newEventId } from "../support/send.ts";
import { startServer, type Server } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";

const requestCount = 3_000;
const connectionCount = 8;
/** Every so many damaged requests a connection sends a sound one. */
const canaryEvery = 10;
const allowed = new Set([200, 400, 401, 403, 404, 405, 408, 413, 415, 431]);

const seed = Number(process.env["FAULTLINE_TEST_SEED"] ?? Date.now() % 1_000_000_000);
const again = `repeat it with FAULTLINE_TEST_SEED=${seed}`;
const captures = readCaptures();

let server: Server;
let client: GrpcClient;
let target: Project;
let canary: Project;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
    target = await createProject(server);
    canary = await createProject(server);
  }),
);
test.after(async () => {
  client?.close();
  await server?.stop();
});

const canaryIds = new Set<string>();
const statuses = new Map<number, number>();

test(`${requestCount} damaged requests are answered, none with a failure`, async () => {
  const wrong: string[] = [];
  let next = 0;
  const drive = async () => {
    let socket: RawSocket | undefined;
    for (let index = next++; index < requestCount; index = next++) {
      if (index % canaryEvery === 0) socket = await sendCanary(socket);
      const { capture, sample } = sampleOf(index);
      socket ??= await openSocket(server);
      const answers = await sendDamaged(socket, capture, sample);
      for (const status of answers.statuses) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!allowed.has(status)) wrong.push(`${status} to request ${index}, made of ${capture.name}`);
      }
      if (answers.closed) socket = undefined;
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: connectionCount }, drive)).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${again}`, { cause: error });
  });
  assert.equal(wrong, [], again);
  // Else the damage is such that nothing gets past the first check.
  assert.ok((statuses.get(200) ?? 0) > requestCount / 10, `${JSON.stringify([...statuses])}; ${again}`);
});

test("the sound events between them are all stored, once each", async () => {
  const [error, ...others] = await storedErrors(client, canary.id);
  assert.is(others.length, 0, again);
  assert.is(error?.eventCount, requestCount / canaryEvery, again);
  const ids = await storedEventIds(client, canary.id, error?.errorId ?? "");
  assert.equal(ids.toSorted(), [...canaryIds].toSorted(), again);
});

test("what was stored of the damaged ones can be shown", async () => {
  for (const { errorId } of await storedErrors(client, target.id)) {
    const ids = await storedEventIds(client, target.id, errorId);
    const shown = ids.map((eventId) => client.errors.getEvent({ projectId: target.id, eventId }, client.auth));
    for (const { event } of await Promise.all(shown)) assert.ok(event, again);
  }
});

test("nothing failed in the log, and all counts equal a recount", async () => {
  assert.not.match(server.output(), /"level":[56]0\b/, again);
  assert.is(await server.stop(), 0);
  const database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  assert.equal(recount(database), [], again);
  database.close();
});

/** A request depends on the seed and its number alone, not on which connection sends it. */
function sampleOf(index: number): { capture: Capture; sample: Sample } {
  const random = randomOf(Math.imul(seed, 0x9e3779b1) + index);
  const capture = random.pick(captures);
  const text = opened(withDsnOf(target, capture.body)).toString("latin1"); // one character a byte
  const fresh = Buffer.from(text.replaceAll(/(?<="event_id":")[0-9a-f-]{32,36}/g, idOf(index)), "latin1");
  const isCompressed = random.below(4) === 0; // else the damage lies inside
  const headers: Record<string, string> = isCompressed ? { "Content-Encoding": "gzip" } : {};
  const original = { body: isCompressed ? gzipSync(fresh) : fresh, headers, lengthError: 0 };
  return { capture, sample: mutate(original, random.pick(captures).body, random) };
}

/** Each request brings its own id, so that its event is stored and no repetition. */
function idOf(index: number): string {
  return index.toString(16).padStart(8, "f").padStart(32, "0");
}

function opened(body: Buffer): Buffer {
  return body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body;
}

/** Sends a damaged request. With a wrong Content-Length it is the last of its connection: what follows has no meaning. */
async function sendDamaged(
  socket: RawSocket,
  { target: path }: Capture,
  { body, headers, lengthError }: Sample,
): Promise<{ statuses: number[]; closed: boolean }> {
  const contentLength = `${Math.max(body.length + lengthError, 0)}`;
  const door = path.includes("/envelope/") ? "envelope" : "store";
  socket.write(headOf(target, { door, headers: { ...headers, "Content-Length": contentLength } }));
  socket.write(body);
  if (lengthError === 0) {
    const answer = await socket.answer();
    return { statuses: [answer?.status ?? 0], closed: answer?.closes ?? true };
  }
  socket.end();
  const found: number[] = [];
  for (let answer = await socket.answer(); answer; answer = await socket.answer()) found.push(answer.status);
  return { statuses: found, closed: true };
}

/** Sends a sound event, on the connection of damaged ones where that is still open. */
async function sendCanary(socket: RawSocket | undefined): Promise<RawSocket | undefined> {
  const open = socket ?? (await openSocket(server));
  const id = newEventId();
  canaryIds.add(id);
  open.write(bytesOf(canary, { body: JSON.stringify({ event_id: id, message: "canary" }) }));
  const answer = await open.answer();
  assert.is(answer?.status, 200, `canary: ${answer?.text}; ${again}`);
  return answer?.closes ? undefined : open;
}

test.run();
