import { execFile } from "node:child_process";
import { createRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import type { CallError } from "@faultline/proto/grpc";
import { ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "@faultline/proto/status";
import { status, type ServiceError } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline, newUser, signIn } from "../support/service/movable-faultline.ts";
import { createProject } from "../support/core/project.ts";
import { refusedBecause } from "../support/assert/refused-because.ts";
import { rest } from "../support/rest/rest.ts";
import { newEventId } from "../support/sentry/send.ts";
import { bundle, repositoryRoot, rootToken } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";
import { webApi } from "../support/external/web-api.ts";

const { client, faultline, clock } = await movableFaultline({ callsPerToken: 2 });
const server = { url: faultline.httpUrl };
const burst = 20; // ten seconds' worth of one token; the tokens of a person have twice, the sessions four times as many
const wholeAgain = () => void (clock.at += 10_000);

const user = ({ token }: { token: string }) => rest(server, "GET /user", { token });
const overGrpc = (auth: { token: string }) => client.accounts.getCurrentUser({}, auth);

/** A refusal as the libraries of other languages decode it. */
function detailsOf({ cause }: CallError): unknown {
  const [bytes] = (cause as ServiceError).metadata.get("grpc-status-details-bin");
  assert.instance(bytes, Buffer);
  const registry = createRegistry(ErrorInfoSchema, RetryInfoSchema);
  return toJson(StatusSchema, fromBinary(StatusSchema, bytes as Buffer), { registry }); // asserted to be a Buffer
}

/** Makes the call so often, one after another; the answers' statuses. */
async function statuses(count: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const got: number[] = [];
  while (got.length < count) got.push((await call()).status);
  return got;
}

const all = (count: number, code: number) => Array.from({ length: count }, () => code);

test.before.each(wholeAgain);

test("a token is limited with 429 and its reason, and another person's token is not; a moment later it calls on", async () => {
  const ann = await newUser(client);
  const bob = await newUser(client);
  assert.equal(await statuses(burst, () => user(ann.auth)), all(burst, 200));
  const refused = await user(ann.auth);
  assert.is(refused.status, 429, refused.text);
  assert.is(refused.headers["retry-after"], "1");
  assert.match(
    (refused.json as { message: string }).message,
    /^One token may make 2 calls per second.*Try again in 1 s\./,
  );
  assert.is((await user(bob.auth)).status, 200);
  clock.at += 1_000;
  assert.equal(await statuses(3, () => user(ann.auth)), [200, 200, 429]);
});

test("REST, gRPC and /api/0 take from one limit, and answer beyond it each in its own form", async () => {
  const ann = await newUser(client);
  const some = Math.floor(burst / 3);
  await statuses(some, () => user(ann.auth));
  assert.equal(await statuses(some, () => webApi(server, "GET /projects/", ann.auth)), all(some, 200));
  for (let n = 2 * some; n < burst; n++) await overGrpc(ann.auth);

  const refusal = await refusedBecause("RATE_LIMITED", overGrpc(ann.auth));
  assert.is(refusal.code, status.RESOURCE_EXHAUSTED);
  assert.is(refusal.retryAfterSeconds, 1);
  assert.is((await user(ann.auth)).status, 429);
  const { status: code, headers, json } = await webApi(server, "GET /projects/", ann.auth);
  assert.equal([code, headers["retry-after"], Object.keys(json as object)], [429, "1", ["detail"]]);
});

test("a call that names 15 projects or files counts as 15", async () => {
  const { path } = await createProject(server);
  const named = Array.from({ length: 15 }, (_, n) => [n.toString(16).padStart(40, "0"), { name: "a.so", chunks: [] }]);
  const body = { checksum: "0".repeat(40), chunks: ["0".repeat(40)], projects: Array.from({ length: 15 }, () => path) };
  for (const [call, sent] of [
    ["POST /organizations/-/artifactbundle/assemble/", body],
    [`POST /projects/-/${path}/files/difs/assemble/`, Object.fromEntries(named)],
  ] as const) {
    for (let n = 0; n < 2; n++) wholeAgain(); // the debt first
    const answers = [];
    while (answers.length < 3) answers.push(await webApi(server, call, { body: sent }));
    assert.equal(
      answers.map(({ status: code, headers }) => [code, headers["ratelimit-remaining"]]),
      [
        [200, "5"],
        [200, "0"],
        [429, "0"],
      ],
    );
  }
});

test("the tokens of a person together have the person's limit, and leave the person's sessions alone", async () => {
  const ann = await newUser(client);
  const other = await client.accounts.createAccessToken({ name: "second", scopes: ["api"] }, ann.session);
  const third = await client.accounts.createAccessToken({ name: "third", scopes: ["api"] }, ann.session);
  wholeAgain();
  await statuses(burst, () => user(ann.auth));
  assert.equal(await statuses(burst, () => user(other)), all(burst, 200));
  const refused = await user(third);
  assert.is(refused.status, 429);
  assert.match(refused.text, /The tokens of one person may make 4 calls per second/);
  for (let n = 0; n < 4 * burst; n++) await overGrpc(ann.session);
  assert.match((await refusedBecause("RATE_LIMITED", overGrpc(ann.session))).message, /^The sessions of one person/);
});

test("each answer says how many calls are left, in GitLab's headers and in the headers of the draft", async () => {
  const ann = await newUser(client);
  const limitOf = ({ headers }: Awaited<ReturnType<typeof rest>>) => [
    headers["ratelimit-name"],
    headers["ratelimit-limit"],
    headers["ratelimit-observed"],
    headers["ratelimit-remaining"],
    headers["ratelimit-reset"],
    headers["ratelimit"],
  ];
  const second = clock.at / 1000;
  const left = (used: number, reset: number) => [
    "token",
    "20",
    `${used}`,
    `${burst - used}`,
    `${second + reset}`,
    `"token";r=${burst - used};t=${reset}`,
  ];
  const first = await user(ann.auth);
  assert.is(first.headers["ratelimit-policy"], '"person";q=40;w=10, "token";q=20;w=10');
  assert.equal(limitOf(first), left(1, 1));
  assert.equal(limitOf(await webApi(server, "GET /projects/", ann.auth)), left(2, 1));
  assert.equal(limitOf(await rest(server, "GET /projects/999999", ann.auth)), left(3, 2), "a 404 as well");
  await statuses(burst - 3, () => user(ann.auth));
  assert.equal(limitOf(await user(ann.auth)), left(burst, 1), "with the time of Retry-After");
  for (const token of [null, "flp_nobody-has-this-token-00000"])
    assert.is((await rest(server, "GET /user", { token })).headers["ratelimit-limit"], undefined);
});

test("reports of events have ten times as many, and take nothing from other calls", async () => {
  const project = await createProject(server);
  wholeAgain();
  const report = () =>
    client.ingest.reportEvents(
      { events: [{ projectId: project.id, eventId: newEventId(), title: "Job failed" }] },
      client.auth,
    );
  for (let n = 0; n < 10 * burst; n++) await report();
  const refusal = await refusedBecause("RATE_LIMITED", report());
  assert.is(refusal.retryAfterSeconds, 1);
  assert.equal(detailsOf(refusal), {
    code: status.RESOURCE_EXHAUSTED,
    message: refusal.message,
    details: [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "faultline", reason: "RATE_LIMITED" },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1s" },
    ],
  });
  assert.is((await user(client.auth)).status, 200);
});

test("a page that is watched takes one call, however long it is open", async () => {
  const project = await createProject(server);
  const ann = await signIn(client);
  wholeAgain();
  const left = new AbortController();
  const changes = client.errors.watchErrors({ projectId: project.id }, { ...ann, signal: left.signal });
  const watched = changes[Symbol.asyncIterator]();
  const ended = watched.next();
  for (let n = 1; n < 4 * burst; n++) await overGrpc(ann);
  await refusedBecause("RATE_LIMITED", overGrpc(ann));
  left.abort();
  assert.is((await ended).done, true);
});

test("an export waits where it meets the limit, and loses nothing", async () => {
  const project = await createProject(server);
  wholeAgain();
  const eventIds = Array.from({ length: 3 * burst }, newEventId);
  await client.ingest.reportEvents(
    { events: eventIds.map((eventId) => ({ projectId: project.id, eventId, title: "Job failed" })) },
    client.auth,
  );
  const child = execFile(process.execPath, [bundle, "export", String(project.id)], {
    cwd: repositoryRoot,
    env: { FAULTLINE_GRPC_ADDRESS: faultline.grpcAddress, FAULTLINE_TOKEN: rootToken },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (text: string) => (stdout += text));
  child.stderr?.on("data", (text: string) => (stderr += text));
  const ended = new Promise((resolve) => child.once("close", resolve));
  await until("it to meet the limit", () => stderr.includes("the service limits calls"));
  const moving = setInterval(() => (clock.at += 1_000), 50);
  assert.is(await ended, 0, stderr);
  clearInterval(moving);
  const exported = stdout.split("\n").flatMap((line) => /"event":\{"eventId":"(\w+)"/.exec(line)?.[1] ?? []);
  assert.equal(exported.toSorted(), eventIds.toSorted());
});

test.run();
