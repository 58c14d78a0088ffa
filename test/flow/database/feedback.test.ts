import { DeletionState, OutcomeKind, Role, type UserFeedback } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { http } from "../../support/http/http.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../../support/sentry/send.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootToken } from "../../support/service/server.ts";

type Json = Readonly<Record<string, unknown>>;

const { server, client } = await sharedServer();
let project: Project;
test.before.each(async () => {
  project = await createProject(server);
});

async function send(...items: (readonly [type: string, payload: Json])[]): Promise<void> {
  const text = envelope(newEventId(), ...items.map(([type, payload]) => [{ type }, payload] as const));
  const answer = await sendEnvelope(server, project, text);
  assert.is(answer.status, 200, answer.text);
}

/** As the widget of a page sends it. */
const widget = (fields: Json = {}, more: Json = {}): readonly [string, Json] => [
  "feedback",
  {
    type: "feedback",
    event_id: newEventId(),
    timestamp: Date.now() / 1000,
    platform: "javascript",
    environment: "production",
    release: "shop@1.2.3",
    contexts: {
      feedback: {
        contact_email: "bo@example.com",
        name: "Bo",
        message: "Where is the invoice?",
        url: "https://bo:pw@shop.example/cart?token=1#top",
        source: "widget",
        replay_id: newEventId(),
        ...fields,
      },
    },
    ...more,
  },
];

async function listed(pageSize = 0): Promise<UserFeedback[]> {
  return (await client.errors.listFeedback({ projectId: project.id, pageSize }, client.auth)).feedback;
}
const comments = async () => (await listed()).map((entry) => entry.comments);

test("feedback about no event is listed by gRPC, REST and the command line, with where it was written", async () => {
  await send(widget());
  const [entry] = await listed();
  const { name, email, comments: text, url, source, environment, release } = entry ?? {};
  assert.equal(
    { name, email, text, url, source, environment, release },
    {
      name: "Bo",
      email: "bo@example.com",
      text: "Where is the invoice?",
      url: "https://shop.example/cart",
      source: "widget",
      environment: "production",
      release: "shop@1.2.3",
    },
  );

  const { json } = await rest(server, `GET /projects/${project.id}/error_tracking/feedback`);
  const [{ id, received_at, ...shown } = {}] = json as Json[];
  assert.equal([typeof id, Date.parse(String(received_at)) > 0], ["number", true]);
  assert.equal(shown, {
    name: "Bo",
    email: "bo@example.com",
    comments: "Where is the invoice?",
    url: "https://shop.example/cart",
    source: "widget",
    environment: "production",
    release: "shop@1.2.3",
    event_id: null,
    error_id: null,
    error_title: null,
  });

  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  const { lines, stderr } = await commandHere(["feedback", "list", project.path], env);
  assert.equal([lines.length, lines[0]?.["comments"]], [1, "Where is the invoice?"], stderr);
});

test("feedback gets its error when the event comes, whichever of its forms names it", async () => {
  const ids = [newEventId(), newEventId(), newEventId()];
  await send(widget({ associated_event_id: ids[0], message: "associated" }));
  await send(widget({ event_id: ids[1], message: "in contexts" }));
  await send(["user_report", { event_id: ids[2], comments: "report" }]);
  assert.equal(
    (await listed()).map(({ eventId, errorId, hasEvent }) => [eventId, errorId, hasEvent]),
    ids.map((id) => [id, "", false]).toReversed(),
  );
  for (const event_id of ids) await sendStore(server, project, { event_id, message: "boom" });
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.equal(
    (await listed()).map(({ errorId, errorTitle, hasEvent }) => [errorId, errorTitle, hasEvent]),
    ids.map(() => [errors[0]?.errorId, "boom", true]),
  );
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId: ids[0] ?? "" }, client.auth);
  assert.equal(
    event?.feedback.map((entry) => [entry.comments, entry.url]),
    [["associated", "https://shop.example/cart"]],
  );
});

test("events of the type feedback become feedback, from an envelope, the store or a large body", async () => {
  const [, sent] = widget({ message: "as an event" });
  await send(["event", sent]);
  await sendStore(server, project, { ...sent, event_id: newEventId() });
  await sendStore(server, project, { ...sent, event_id: newEventId(), extra: { large: "x".repeat(200_000) } });
  assert.equal(await comments(), Array(3).fill("as an event"));
  assert.equal((await client.errors.listErrors({ projectId: project.id }, client.auth)).errors, []);
});

test("feedback that is sent again is one entry, and equal feedback of two users is two", async () => {
  const one = widget();
  await send(one, widget());
  await send(one);
  assert.is((await listed()).length, 2);
});

test("pages of feedback hold all entries, the newest first", async () => {
  for (let n = 0; n < 5; n++) await send(widget({ message: `${n}` }));
  const found: string[] = [];
  for (let pageToken = ""; ;) {
    const page = await client.errors.listFeedback({ projectId: project.id, pageSize: 2, pageToken }, client.auth);
    found.push(...page.feedback.map((entry) => entry.comments));
    pageToken = page.nextPageToken;
    if (pageToken === "") break;
  }
  assert.equal(found, ["4", "3", "2", "1", "0"]);
  assert.equal(
    (await rest(server, `GET /projects/${project.id}/error_tracking/feedback?per_page=2`)).headers["link"]?.includes(
      'rel="next"',
    ),
    true,
  );
});

test("feedback goes with its error when that is deleted, and is hidden before", async () => {
  const event_id = newEventId();
  await sendStore(server, project, { event_id, message: "boom" });
  await send(widget({ associated_event_id: event_id, message: "about it" }));
  await send(widget({ message: "about nothing" }));
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  const target = { case: "errors", value: { errorIds: errors.map(({ errorId }) => errorId) } } as const;
  const { deletion } = await client.deletions.createDeletion({ projectId: project.id, target }, client.auth);
  assert.equal(await comments(), ["about nothing"]);
  const named = { projectId: project.id, deletionId: deletion?.deletionId ?? 0 };
  await client.deletions.undoDeletion(named, client.auth);
  assert.equal(await comments(), ["about nothing", "about it"]);

  await client.deletions.createDeletion({ projectId: project.id, target, withoutUndo: true }, client.auth);
  await until("the error is erased", async () => {
    const { deletions } = await client.deletions.listDeletions({ projectId: project.id }, client.auth);
    return deletions[0]?.state === DeletionState.ERASED;
  });
  await sendStore(server, project, { event_id, message: "boom" });
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId: event_id }, client.auth);
  assert.equal([event?.feedback, await comments()], [[], ["about nothing"]]);
});

test("people who may read errors read feedback, below Maintainer without apparent secrets", async () => {
  await send(widget({ message: "my card is 4111 1111 1111 1111" }));
  const read = async (token: string) =>
    (await client.errors.listFeedback({ projectId: project.id }, { token })).feedback[0]?.comments;
  const [maintainer, reporter] = [
    await newMember(client, project.id, Role.MAINTAINER),
    await newMember(client, project.id, Role.REPORTER),
  ];
  assert.match((await read(maintainer.token)) ?? "", "4111 1111");
  assert.match((await read(reporter.token)) ?? "", "[Filtered]");
});

const dialog = (target: Pick<Project, "dsn">, more: Record<string, string> = {}) =>
  `${server.url}/api/embed/error-page/?${new URLSearchParams({ dsn: target.dsn, ...more }).toString()}`;
const form = { "Content-Type": "application/x-www-form-urlencoded" };

test("the dialog for reports is a script that is the same for all, and takes a form for its event", async () => {
  const eventId = newEventId();
  const hostile = { eventId, title: "</script><script>alert(1)</script>", name: '"};alert(1);//' };
  const script = await http(dialog(project, hostile));
  assert.equal(
    [script.status, script.headers["content-type"], script.headers["access-control-allow-origin"]],
    [200, "text/javascript; charset=utf-8", "*"],
  );
  assert.not.match(script.text, "alert(1)");

  const body = new URLSearchParams({
    name: "Ann",
    email: "ann@example.com",
    comments: "It broke.",
    url: "https://h.example/a?b",
  });
  const sent = await http(dialog(project, { eventId }), { method: "POST", headers: form, body: `${body}` });
  assert.equal([sent.status, sent.headers["access-control-allow-origin"]], [200, "*"], sent.text);
  const [entry] = await listed();
  assert.equal(
    [entry?.eventId, entry?.name, entry?.email, entry?.comments, entry?.url, entry?.source],
    [eventId, "Ann", "ann@example.com", "It broke.", "https://h.example/a", "report dialog"],
  );

  const post = (target: Pick<Project, "dsn">, text: string) =>
    http(dialog(target, { eventId }), { method: "POST", headers: form, body: text });
  assert.is((await post(project, "name=Ann&comments=+")).status, 400);
  assert.is((await post(project, `comments=${"x".repeat(100 * 1024)}`)).status, 413);
  const guess = { dsn: project.dsn.replace(project.key, "f".repeat(32)) };
  assert.equal([(await http(dialog(guess))).status, (await post(guess, "comments=x")).status], [403, 403]);
});

test("the dialog keeps to the origins of its key", async () => {
  const key = { allowed_origins: ["https://shop.example"] };
  await rest(server, `PUT /projects/${project.id}/error_tracking/client_keys/${project.keyId}`, { body: key });
  const statusFrom = async (Referer: string) => (await http(dialog(project), { headers: { Referer } })).status;
  await until("the key has origins", async () => (await statusFrom("https://other.example/")) === 403);
  assert.is(await statusFrom("https://shop.example/"), 200);
});

test("a project keeps the newest 10,000 entries, and counts the removed ones", async () => {
  const entry = (n: number) => widget({ message: `${n}` });
  for (let from = 0; from < 10_003; from += 190)
    await send(...Array.from({ length: Math.min(190, 10_003 - from) }, (_, n) => entry(from + n)));
  assert.equal(
    (await listed(1)).map((one) => one.comments),
    ["10002"],
  );
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: project.id }, client.auth);
  assert.equal(
    outcomes.map(({ kind, category, reason, quantity }) => [kind, category, reason, quantity]),
    [[OutcomeKind.LEFT_ASIDE, "feedback", "too_many", 3n]],
  );
});

test.run();
