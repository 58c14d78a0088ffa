import { toJson, type JsonValue } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  ErrorSchema,
  ErrorSort,
  ErrorStatus,
  EventPosition,
  EventSchema,
  Role,
  type Error as TrackedError,
  type Event,
} from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { hourMs, movableClock, movableFaultline, signIn } from "../../support/service/movable-faultline.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { webApi } from "../../support/external/web-api.ts";

/**
 * One Faultline reads another: `there` stores the errors, `here` shows them. Both are real, in one process and on one
 * clock, and speak over HTTP.
 */

const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
const minute = 60_000;
const clock = movableClock();

const config = testConfig(tempDir());
let there = await startFaultline(config, clock);
const port = Number(new URL(there.httpUrl).port);
const stored = { server: { url: there.httpUrl }, client: grpcClient(there) };
const startAgain = async () => {
  there = await startFaultline({ ...config, http: { ...config.http, port } }, clock);
  stored.client = grpcClient(there);
};
const stopThere = async () => {
  stored.client.close();
  await there.stop();
};
test.after(stopThere);
const { client, faultline } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports: [port] } }, clock);
const server = { url: faultline.httpUrl };

/** The stored errors 1 to 5. Each was seen as often as its number, or twice as often. */
const source = await createProject(stored.server);
await stored.client.projects.updateProject({ projectId: source.id, path: "acme/team/shop" }, stored.client.auth);
/** Error `n` happens there, to a new user. */
async function happens(n: number, user = 0): Promise<void> {
  const sent = await sendEvent(stored.server, source, {
    event_id: newEventId(),
    platform: "node",
    release: `shop@1.${n}`,
    environment: n % 2 === 0 ? "staging" : "production",
    user: { id: String(user), email: `person-${user}@example.com` },
    tags: { region: "eu" },
    breadcrumbs: [{ category: "fetch", message: `GET /cart/${n}`, timestamp: clock.at / 1000 }],
    request: { url: "https://shop.example.com/cart", method: "POST", query_string: "a=1&b=%20" },
    exception: {
      values: [
        {
          type: `Error${n}`,
          value: n === 3 ? "payment failed <script>alert(1)</script>" : "cart is empty",
          mechanism: { type: "generic", handled: false },
          stacktrace: {
            frames: [
              { filename: "node:internal/process", function: "run", lineno: 1, in_app: false },
              {
                filename: "src/cart.js",
                function: `pay${n}`,
                lineno: 10,
                colno: 5,
                in_app: true,
                pre_context: ["function pay() {"],
                context_line: "  charge(cart);",
                post_context: ["}"],
                vars: { cart: { items: [1, 2] } },
              },
            ],
          },
        },
      ],
    },
  });
  assert.is(sent.status, 200, sent.text);
}

// The second is seen again, so that each sort has a different order.
for (const n of [1, 2, 3, 4, 5, 2]) {
  clock.at += 7 * minute;
  for (let times = 0; times < n; times += 1) await happens(n, times);
}
const keeper = await newMember(stored.client, source.id, Role.DEVELOPER);
const reader = await newMember(stored.client, source.id, Role.DEVELOPER, ["read_api"]);

const { project: made } = await client.projects.createProject({ path: "view/shop" }, client.auth);
const projectId = made?.projectId ?? 0;
const connect = (token: string, id = projectId) =>
  client.settings.listExternalProjects(
    { projectId: id, externalApiUrl: stored.server.url, externalAuthToken: token },
    client.auth,
  );
const save = async (token: string, id = projectId) => {
  const { externalProjects } = await connect(token, id);
  const externalProject = externalProjects.find(({ slug }) => slug === "team~shop");
  assert.ok(externalProject);
  const external = { externalApiUrl: stored.server.url, externalAuthToken: token, externalProject };
  return client.settings.updateSettings(
    { projectId: id, active: true, backend: Backend.EXTERNAL, ...external },
    client.auth,
  );
};

type Request<Method extends keyof GrpcClient["errors"]> = Omit<
  Parameters<GrpcClient["errors"][Method]>[0],
  "projectId" | "$typeName"
>;
const listHere = (request: Request<"listErrors"> = {}) =>
  client.errors.listErrors({ projectId, ...request }, client.auth);
const listThere = (request: Request<"listErrors"> = {}) =>
  stored.client.errors.listErrors({ projectId: source.id, ...request }, stored.client.auth);

/** Nothing that was read before is still fresh. */
const later = () => (clock.at += minute);

/**
 * The fields of an error that both systems report: all except its project, its link, and fields that only the storing
 * system can know.
 */
const fieldsOf = (error: TrackedError | undefined) => {
  assert.ok(error);
  const {
    projectId: _id,
    externalUrl: _url,
    statusChangedTime: _changed,
    ...fields
  } = toJson(ErrorSchema, error) as Record<string, JsonValue>;
  return fields;
};
const fieldsOfEvent = (event: Event | undefined) => {
  assert.ok(event);
  const {
    projectId: _id,
    payloadJson: _payload,
    clientKeyId: _key,
    ...fields
  } = toJson(EventSchema, event) as Record<string, JsonValue>;
  return fields;
};
const titles = (errors: readonly TrackedError[]) => errors.map(({ type }) => type);

test("Connect lists the projects that the token sees there, and warns of nothing", async () => {
  const { externalProjects, warnings } = await connect(keeper.token);
  assert.equal(
    externalProjects.map(({ id, slug, organizationSlug, status }) => ({ id, slug, organizationSlug, status })),
    [{ id: String(source.id), slug: "team~shop", organizationSlug: "acme", status: "active" }],
  );
  assert.equal(warnings, []);
});

test("Connect warns of a token that only reads", async () => {
  const { externalProjects, warnings } = await connect(reader.token);
  assert.is(externalProjects.length, 1);
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? "", "event:write");
});

test("Connect refuses a token that nobody has", async () => {
  await refusedBecause("EXTERNAL_TOKEN_REFUSED", connect("flp_nobody-has-this-token"));
});

test("the link is saved, and the list here is the list there, with its counts", async () => {
  const { settings } = await save(keeper.token);
  assert.is(settings?.active, true);
  for (const status of [ErrorStatus.UNSPECIFIED, UNRESOLVED, RESOLVED]) {
    const [here, own] = [await listHere({ status }), await listThere({ status })];
    assert.equal(here.errors.map(fieldsOf), own.errors.map(fieldsOf));
    assert.equal(here.statusCounts, own.statusCounts);
    assert.is(here.staleSinceTime, undefined);
  }
  const { errors } = await listHere();
  assert.is(errors.length, 5);
  assert.is(
    errors[0]?.externalUrl,
    `${stored.server.url}/acme/team/shop/-/error_tracking/${errors[0]?.errorId}/details`,
  );
});

for (const [name, sort] of [
  ["the last seen", ErrorSort.LAST_SEEN],
  ["the first seen", ErrorSort.FIRST_SEEN],
  ["the number of events", ErrorSort.EVENT_COUNT],
] as const) {
  test(`sorted by ${name}, the pages lead on and back as there`, async () => {
    const pages: string[][] = [];
    let pageToken = "";
    let last = await listHere({ sort, pageSize: 2 });
    for (; pages.length < 5; last = await listHere({ sort, pageSize: 2, pageToken })) {
      pages.push(titles(last.errors));
      pageToken = last.nextPageToken;
      if (pageToken === "") break;
    }
    assert.equal(pages.flat(), titles((await listThere({ sort })).errors));
    assert.equal(
      pages.map(({ length }) => length),
      [2, 2, 1],
    );
    const back = await listHere({ sort, pageSize: 2, pageToken: last.previousPageToken });
    assert.equal(titles(back.errors), pages[1]);
  });
}

test("a search finds here what it finds there", async () => {
  for (const query of [
    "payment",
    '"cart is empty"',
    "region:eu",
    "environment:staging",
    "error.type:Error4",
    "nothing",
  ]) {
    const [here, own] = [await listHere({ query }), await listThere({ query })];
    assert.equal([query, titles(here.errors)], [query, titles(own.errors)]);
    assert.equal([query, here.statusCounts], [query, own.statusCounts]);
  }
});

test("an error, its events, their stacks, breadcrumbs and users, and its bars are as there", async () => {
  for (const { errorId } of (await listThere()).errors) {
    const [here, own] = [
      await client.errors.getError({ projectId, errorId }, client.auth),
      await stored.client.errors.getError({ projectId: source.id, errorId }, stored.client.auth),
    ];
    assert.equal(fieldsOf(here.error), fieldsOf(own.error));
    for (const position of [EventPosition.NEWEST, EventPosition.OLDEST]) {
      const [event, ownEvent] = [
        await client.errors.getEvent({ projectId, errorId, position }, client.auth),
        await stored.client.errors.getEvent({ projectId: source.id, errorId, position }, stored.client.auth),
      ];
      assert.equal(fieldsOfEvent(event.event), fieldsOfEvent(ownEvent.event));
      assert.equal([event.newerEventId, event.olderEventId], [ownEvent.newerEventId, ownEvent.olderEventId]);
      assert.is(event.event?.exceptions[0]?.frames[1]?.contextLine, "  charge(cart);");
      assert.match(event.event?.user?.email ?? "", "@example.com");
      assert.match(event.event?.breadcrumbs[0]?.message ?? "", "GET /cart");
    }
    const listed = await client.errors.listEvents({ projectId, errorId, pageSize: 2 }, client.auth);
    const ownListed = await stored.client.errors.listEvents(
      { projectId: source.id, errorId, pageSize: 2 },
      stored.client.auth,
    );
    assert.equal(listed.events, ownListed.events);
    assert.is(listed.nextPageToken === "", ownListed.nextPageToken === "");
    const stats = await client.errors.getErrorStats({ projectId, errorId, hourCount: 72 }, client.auth);
    const ownStats = await stored.client.errors.getErrorStats(
      { projectId: source.id, errorId, hourCount: 72 },
      stored.client.auth,
    );
    assert.equal(stats, ownStats);
  }
});

const statusThere = async (errorId: string) => {
  const { error } = await stored.client.errors.getError({ projectId: source.id, errorId }, stored.client.auth);
  return error?.status;
};
const set = (...changes: { errorId: string; status: ErrorStatus }[]) =>
  client.errors.updateErrors({ projectId, changes }, client.auth);

test("an error resolved here is resolved there, and the undo brings it back", async () => {
  later();
  const [first] = (await listHere()).errors;
  const errorId = first?.errorId ?? "";
  const { errors, undo } = await set({ errorId, status: RESOLVED });
  assert.is(errors[0]?.status, RESOLVED);
  assert.is(await statusThere(errorId), RESOLVED);
  assert.not(titles((await listHere({ status: UNRESOLVED })).errors).includes(first?.type ?? ""));
  await set(...undo);
  assert.is(await statusThere(errorId), UNRESOLVED);
  await set({ errorId, status: IGNORED });
  assert.is(await statusThere(errorId), IGNORED);
  assert.equal(titles((await listHere({ status: IGNORED })).errors), [first?.type]);
  await set({ errorId, status: UNRESOLVED });
});

test("many errors are resolved in one call, and errors of another project there are left alone", async () => {
  later();
  const other = await createProject(stored.server);
  await stored.client.projects.updateProject({ projectId: other.id, path: "acme/other" }, stored.client.auth);
  await stored.client.members.addMember(
    { projectId: other.id, userId: keeper.userId, role: Role.DEVELOPER },
    stored.client.auth,
  );
  await sendEvent(stored.server, other, { event_id: newEventId(), message: "of another project" });
  const [foreign] = (await stored.client.errors.listErrors({ projectId: other.id }, stored.client.auth)).errors;
  const foreignId = foreign?.errorId ?? "";
  await refusedBecause("ERROR_NOT_FOUND", client.errors.getError({ projectId, errorId: foreignId }, client.auth));

  const { errors: all } = await listHere();
  const { errors, undo } = await set(
    ...all.map(({ errorId }) => ({ errorId, status: RESOLVED })),
    { errorId: foreignId, status: RESOLVED },
    { errorId: "999999", status: RESOLVED },
  );
  assert.is(errors.length, 5);
  assert.is(undo.length, 5);
  for (const { errorId } of all) assert.is(await statusThere(errorId), RESOLVED);
  const { error } = await stored.client.errors.getError(
    { projectId: other.id, errorId: foreignId },
    stored.client.auth,
  );
  assert.is(error?.status, UNRESOLVED);
  await set(...undo);
  assert.is((await listHere({ status: UNRESOLVED })).errors.length, 5);
});

test("changes there are seen here: a new event, and an error that comes back", async () => {
  const [first] = (await listHere({ sort: ErrorSort.FIRST_SEEN })).errors;
  const errorId = first?.errorId ?? "";
  await set({ errorId, status: RESOLVED });
  assert.is((await listHere({ status: RESOLVED })).errors.length, 1);
  clock.at += hourMs;
  const reopenedAt = clock.at;
  for (const n of [first?.type.at(-1), first?.type.at(-1), 6]) {
    await happens(Number(n));
    later();
  }
  const { errors } = await listHere();
  assert.equal(titles(errors).slice(0, 2), ["Error6", first?.type]);
  assert.equal(errors.map(fieldsOf), (await listThere()).errors.map(fieldsOf));
  assert.equal([errors[1]?.status, errors[1]?.reopenedTime], [UNRESOLVED, timestamp(reopenedAt)]);
});

test("a token that only reads shows errors and changes none", async () => {
  await save(reader.token);
  const [first] = (await listHere()).errors;
  const errorId = first?.errorId ?? "";
  const { message } = await refusedBecause("EXTERNAL_TOKEN_REFUSED", set({ errorId, status: RESOLVED }));
  assert.is(message, "Sentry response status code: 403");
  assert.is(await statusThere(errorId), UNRESOLVED);
  await save(keeper.token);
});

test("a project that reads is not there to be read: no circles", async () => {
  assert.equal((await webApi(server, "GET /projects/")).json, []);
  for (const path of ["/projects/view/shop/", "/projects/view/shop/issues/", `/projects/view/${projectId}/`]) {
    assert.is((await webApi(server, `GET ${path}`)).status, 404, path);
  }
  const [first] = (await listHere()).errors;
  assert.is((await webApi(server, `GET /issues/${first?.errorId}/`)).status, 404);
});

test("while the other system is stopped, its last answer is shown with its time; after that a sentence says so", async () => {
  later();
  const before = await listHere();
  const readAt = clock.at;
  await stopThere();
  clock.at += minute;
  const stale = await listHere();
  assert.equal(stale.errors.map(fieldsOf), before.errors.map(fieldsOf));
  assert.equal(stale.staleSinceTime, timestamp(readAt));
  const refused = await refusedBecause("EXTERNAL_UNREACHABLE", listHere({ query: "never asked before" }));
  assert.is(refused.message, "Connection refused");
  clock.at += hourMs;
  await refusedBecause("EXTERNAL_UNREACHABLE", listHere());
  await startAgain();
  clock.at += 10 * minute; // the longest pause of a breaker has passed
  const { errors, staleSinceTime } = await listHere();
  assert.equal([errors.length, staleSinceTime], [before.errors.length, undefined]);
});

test("a cursor from before the restart of the other leads on", async () => {
  const first = await listHere({ pageSize: 2 });
  const all = titles((await listHere()).errors);
  await stopThere();
  await startAgain();
  later();
  const second = await listHere({ pageSize: 2, pageToken: first.nextPageToken });
  assert.equal(titles(second.errors), all.slice(2, 4));
});

test("a token that is revoked there is refused here from the next reading on", async () => {
  const session = await signIn(stored.client, keeper.username, personPassword);
  const { accessTokens } = await stored.client.accounts.listAccessTokens({}, session);
  for (const { tokenId } of accessTokens) await stored.client.accounts.revokeAccessToken({ tokenId }, session);
  later();
  const { message } = await refusedBecause("EXTERNAL_TOKEN_REFUSED", listHere());
  assert.is(message, "Sentry response status code: 401");
  await refusedBecause("EXTERNAL_TOKEN_REFUSED", connect(keeper.token));
});

test("if a project is deleted there, a sentence says so here, and none of its errors appear", async () => {
  await save(reader.token);
  assert.is((await listHere()).errors.length, 6);
  await stored.client.projects.deleteProject({ projectId: source.id }, stored.client.auth);
  later();
  const refusal = await listHere().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(refusal, CallError);
  assert.is((refusal as CallError).reason, ErrorReason.EXTERNAL_ANSWER_INVALID);
  assert.is((refusal as CallError).message, "Sentry response status code: 404");
  const { externalProjects } = await connect(reader.token);
  assert.equal(externalProjects, []);
});

test.run();
