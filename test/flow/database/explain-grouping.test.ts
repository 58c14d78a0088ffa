import { GroupingPartKindSchema, Role, type GroupingPartKind, type GroupingExplanation } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../support/assert/rejects.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { webApi } from "../../support/external/web-api.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootToken } from "../../support/service/server.ts";

/** Why an event is in its error, and what distinguishes two errors: in gRPC, REST, the web API and on the command line. */

const { server, client } = await sharedServer();
const project = await createProject(server);
const projectId = project.id;
const secret = "hunter2-of-the-shop";

const frame = (name: string, more = {}) => ({ module: "shop.cart", function: name, in_app: true, ...more });
const python = (name: string, value: string) => ({
  platform: "python",
  exception: {
    values: [
      {
        type: "PaymentError",
        value,
        stacktrace: {
          frames: [
            { module: "django.core", function: "call", in_app: false },
            frame("view"),
            frame(name, { context_line: `    pay("postgres://shop:${secret}@db/shop",   1)` }),
          ],
        },
      },
    ],
  },
});

/** Stores an event. */
async function stored(event: Record<string, unknown>): Promise<{ eventId: string; errorId: string }> {
  const eventId = newEventId();
  const answer = await sendEvent(server, project, { event_id: eventId, ...event });
  assert.is(answer.status, 200, answer.text);
  const found = await client.errors.getEvent({ projectId, eventId }, client.auth);
  return { eventId, errorId: found.event?.errorId ?? "" };
}

const older = await stored(python("pay", "refused"));
const newest = await stored(python("pay", "refused again"));
const other = await stored(python("refund", "refused"));
const message = await stored({ message: "order 17 of shop:4111 1111 1111 1111 is gone", platform: "node" });
const { errorId } = newest;
assert.is(older.errorId, errorId);

const explained = async (request: object, token = rootToken) =>
  client.errors.explainGrouping({ projectId, ...request }, { token });
const nameOf = (kind: GroupingPartKind) => GroupingPartKindSchema.value[kind]?.localName ?? "";
const told = ({ parts }: GroupingExplanation) =>
  parts.map(({ kind, text, counted, countedAs }) => [nameOf(kind), text, counted, countedAs]);
const line = (credential: string) => `pay("postgres://shop:${credential}@db/shop",   1)`;

test("gRPC tells the parts of the newest event in their order: counted or not, in which form and why", async () => {
  const { explanation, other: none, difference } = await explained({ errorId });
  assert.ok(explanation);
  assert.equal(told(explanation), [
    ["PLATFORM", "python", true, ""],
    ["TYPE", "PaymentError", true, ""],
    ["FRAME", "django.core in call", false, ""],
    ["FRAME", "shop.cart in view", true, ""],
    ["FRAME", "shop.cart in pay", true, ""],
    ["LINE", line(secret), true, line(secret).replace("   ", " ")],
    ["VALUE", "refused again", false, ""],
  ]);
  for (const { reason } of explanation.parts) assert.match(reason, /^[A-Z].*\.$/);
  assert.equal([explanation.errorId, explanation.eventId], [errorId, newest.eventId]);
  assert.equal([explanation.version, explanation.otherPartCount], [2, 0]);
  assert.match(explanation.hash, /^[0-9a-f]{32}$/);
  assert.is(explanation.errorHashes.length, 1);
  assert.equal([none, difference], [undefined, undefined]);
});

test("an event can be named, and events of one error have the same hash", async () => {
  const { explanation } = await explained({ eventId: older.eventId });
  assert.is(explanation?.eventId, older.eventId);
  assert.is(explanation?.hash, (await explained({ errorId })).explanation?.hash);
});

test("the parts that count in only one of them distinguish two errors", async () => {
  const { other: compared, difference } = await explained({ errorId, otherErrorId: other.errorId });
  assert.is(compared?.eventId, other.eventId);
  assert.is(difference?.summary, "The errors are different because these parts count in only one of them.");
  assert.equal(
    difference?.onlyHere.map(({ text }) => text),
    ["shop.cart in pay"],
  );
  assert.equal(
    difference?.onlyThere.map(({ text }) => text),
    ["shop.cart in refund"],
  );
  const same = await explained({ errorId, eventId: older.eventId, otherErrorId: errorId });
  assert.equal([same.difference?.onlyHere, same.difference?.onlyThere], [[], []]);
  assert.is(same.difference?.summary, "Both events are in the same error.");
});

test("text that looks secret on the page is hidden here too, from people who may not see it", async () => {
  const reporter = await newMember(client, projectId, Role.REPORTER);
  const maintainer = await newMember(client, projectId, Role.MAINTAINER);
  const shown = async (token: string) => {
    const { explanation } = await explained({ errorId, otherErrorId: message.errorId }, token);
    const { json } = await webApi(server, `GET /projects/-/${projectId}/events/${newest.eventId}/grouping-info/`, {
      token,
    });
    const path = `/projects/${projectId}/error_tracking/errors/${errorId}/grouping?other_error_id=${message.errorId}`;
    return JSON.stringify([
      explanation && told(explanation),
      json,
      (await rest(server, `GET ${path}`, { token })).json,
    ]);
  };
  const whole = await shown(maintainer.token);
  const hidden = await shown(reporter.token);
  for (const text of [secret, "4111 1111"]) {
    assert.ok(whole.includes(text), `${text} in ${whole}`);
    assert.not.ok(hidden.includes(text), `${text} in ${hidden}`);
  }
  const { explanation } = await explained({ errorId }, reporter.token);
  assert.is(explanation?.hash, (await explained({ errorId })).explanation?.hash);
});

test("requests for missing things are refused, and strangers get nothing", async () => {
  await rejects(explained({ errorId: "999999999999" }), "NOT_FOUND");
  await rejects(explained({ errorId, otherErrorId: "999999999999" }), "NOT_FOUND");
  await rejects(explained({ errorId, eventId: other.eventId }), "NOT_FOUND");
  await rejects(explained({}), "NOT_FOUND");
  const otherProject = await createProject(server);
  await rejects(client.errors.explainGrouping({ projectId: otherProject.id, errorId }, client.auth), "NOT_FOUND");
  const stranger = await newPerson(client);
  await rejects(explained({ errorId }, stranger.token), "NOT_FOUND");
});

test("an event in Other errors says that it would be a separate error", async () => {
  const crowded = await createProject(server);
  const sent = Array.from({ length: 310 }, (_, n) => {
    return sendEvent(server, crowded, { event_id: newEventId(), fingerprint: [`f${n}`], message: "x" });
  });
  await Promise.all(sent);
  const { errors } = await client.errors.listErrors(
    { projectId: crowded.id, query: 'message:"Other errors"' },
    client.auth,
  );
  const [holder] = errors;
  assert.ok(holder?.holdsOtherErrors);
  const request = { projectId: crowded.id, errorId: holder.errorId };
  const { explanation } = await client.errors.explainGrouping(request, client.auth);
  assert.match(
    explanation?.note ?? "",
    /^The project had too many new errors .* the event was counted in “Other errors”\./,
  );
});

test("REST has the same under its own names", async () => {
  const path = `/projects/${projectId}/error_tracking/errors/${errorId}/grouping`;
  const { status, json } = await rest(server, `GET ${path}?other_error_id=${other.errorId}&event_id=${older.eventId}`);
  assert.is(status, 200);
  const {
    explanation,
    other: compared,
    difference,
  } = json as {
    explanation: { parts: unknown[]; event_id: string };
    other: { error_id: string };
    difference: { only_there: { text: string }[] };
  };
  assert.equal(explanation.parts[0], {
    kind: "platform",
    text: "python",
    counted: true,
    counted_as: null,
    reason: "Errors of two platforms are never the same.",
  });
  assert.equal([explanation.event_id, compared.error_id], [older.eventId, other.errorId]);
  assert.is(difference.only_there[0]?.text, "shop.cart in refund");
  assert.is(((await rest(server, `GET ${path}`)).json as { difference: unknown }).difference, null);
});

test("the web API has grouping-info and hashes in the shapes of the original", async () => {
  const { json: info } = await webApi(server, `GET /projects/-/${projectId}/events/${newest.eventId}/grouping-info/`);
  const { app } = info as { app: Record<string, unknown> };
  const { explanation } = await explained({ errorId });
  assert.equal(
    [app["type"], app["hash"], app["description"], app["contributes"]],
    ["component", explanation?.hash, "exception stack-trace", true],
  );
  const { values } = app["component"] as { values: Record<string, unknown>[] };
  assert.equal(
    values.map(({ id, contributes, values: texts }) => [id, contributes, texts]),
    explanation?.parts.map(({ kind, counted, countedAs, text }) => [
      nameOf(kind).toLowerCase(),
      counted,
      [countedAs || text],
    ]),
  );
  const byMessage = await webApi(server, `GET /projects/-/${projectId}/events/${message.eventId}/grouping-info/`);
  assert.equal(Object.keys(byMessage.json as object), ["default"]);

  for (const prefix of ["", "/organizations/-"]) {
    const { json: hashes } = await webApi(server, `GET ${prefix}/issues/${errorId}/hashes/`);
    const [{ id, latestEvent } = {}] = hashes as { id?: string; latestEvent?: Record<string, unknown> }[];
    assert.equal([id, latestEvent?.["eventID"]], [explanation?.errorHashes[0], newest.eventId]);
  }
  const { json: full } = await webApi(server, `GET /issues/${errorId}/hashes/?full=1`);
  const [whole] = full as { latestEvent: object }[];
  assert.ok(whole && "entries" in whole.latestEvent);
  assert.is((await webApi(server, `GET /projects/-/${projectId}/events/${"0".repeat(32)}/grouping-info/`)).status, 404);
});

test("the command line prints it, and compares", async () => {
  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  const { lines, stderr } = await commandHere(["errors", "why", project.path, errorId, other.errorId], env);
  const [answer] = lines as Record<string, Record<string, unknown>>[];
  assert.is(answer?.["explanation"]?.["event_id"], newest.eventId, stderr);
  assert.ok(answer?.["difference"], stderr);
  const one = await commandHere(["errors", "why", project.path, errorId, "--event", older.eventId], env);
  const [named] = one.lines as { explanation: { event_id: string } }[];
  assert.is(named?.explanation.event_id, older.eventId, one.stderr);
});

test.run();
