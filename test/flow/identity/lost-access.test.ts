import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { ErrorReason, Role } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline, newUser } from "../../support/service/movable-faultline.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, post, sendEvent } from "../../support/sentry/send.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };
const { accounts, users, members, errors, outcomes } = client;

type Context = { token: string };

interface Watch {
  readonly name: string;
  /** Resolves with what ended it. */
  readonly begin: (project: Project, context: Context, heard: () => void) => Promise<unknown>;
  /** Makes it hear something. */
  readonly cause: (project: Project) => Promise<unknown>;
}

async function readAll(stream: AsyncIterable<unknown>, heard: () => void): Promise<unknown> {
  try {
    for await (const response of stream) if (response) heard();
    return undefined;
  } catch (error) {
    return error;
  }
}

const watches: Watch[] = [
  {
    name: "WatchErrors",
    begin: ({ id }, context, heard) => readAll(errors.watchErrors({ projectId: id }, context), heard),
    cause: (project) => sendEvent(server, project, { event_id: newEventId(), message: "heard" }),
  },
  {
    name: "WatchRefusals",
    begin: ({ id }, context, heard) => readAll(outcomes.watchRefusals({ projectId: id }, context), heard),
    cause: (project) => post(server, project, "store", "{", { "Content-Type": "application/json" }),
  },
];

/** A new member who watches a new project. Resolves with the first message. */
async function watching({ name, begin, cause }: Watch) {
  const project = await createProject(server);
  const member = await newUser(client);
  const named = { projectId: project.id, userId: member.userId };
  await members.addMember({ ...named, role: Role.REPORTER }, client.auth);
  let isHeard = false;
  let ending: unknown;
  let hasEnded = false;
  void begin(project, member.auth, () => (isHeard = true)).then((end) => {
    ending = end;
    hasEnded = true;
  });
  await until(`${name} to begin`, async () => isHeard || void (await cause(project)), { everyMs: 100 });
  return {
    member,
    named,
    /** Changes continue meanwhile, because a watch with changes to send must end in time too. */
    endsWith: async (reason: ErrorReason) => {
      const hasEndedBy = async () => hasEnded || void (await cause(project));
      await until(`the end of ${name}`, hasEndedBy, { deadlineMs: promised(1_000) });
      assert.instance(ending, CallError);
      assert.is((ending as CallError).reason, reason);
    },
    goesOn: () => assert.not(hasEnded, name),
  };
}

const inEach = (work: (watch: Watch) => Promise<void>) => async () => {
  await Promise.all(watches.map(work));
};

test(
  "watching calls end within a second after their token was revoked, and nobody else's do",
  inEach(async (watch) => {
    const [watched, other] = await Promise.all([watching(watch), watching(watch)]);
    await accounts.revokeAccessToken({ tokenId: watched.member.tokenId }, watched.member.session);
    await watched.endsWith(ErrorReason.TOKEN_REVOKED);
    other.goesOn();
  }),
);

test(
  "watching calls end within a second after their member was removed",
  inEach(async (watch) => {
    const { named, endsWith } = await watching(watch);
    await members.removeMember(named, client.auth);
    await endsWith(ErrorReason.PROJECT_NOT_FOUND);
  }),
);

test(
  "watching calls end within a second after their member became a Guest",
  inEach(async (watch) => {
    const { named, endsWith } = await watching(watch);
    await members.updateMember({ ...named, role: Role.GUEST }, client.auth);
    await endsWith(ErrorReason.FORBIDDEN);
  }),
);

test(
  "watching calls end within a second after their user was blocked",
  inEach(async (watch) => {
    const { named, endsWith } = await watching(watch);
    await users.updateUser({ userId: named.userId, isBlocked: true }, client.auth);
    await endsWith(ErrorReason.TOKEN_REQUIRED);
  }),
);

test("a REST call with a body that arrives after its caller lost access is refused", async () => {
  const project = await createProject(server);
  const member = await newUser(client);
  const named = { projectId: project.id, userId: member.userId };
  await members.addMember({ ...named, role: Role.MAINTAINER }, client.auth);
  const body = JSON.stringify({ localhost: true });
  const call = request(`${server.url}/api/v4/projects/${project.id}/error_tracking/filters`, {
    method: "PATCH",
    headers: {
      Authorization: `Bearer ${member.auth.token}`,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      Expect: "100-continue",
    },
  });
  const answered = once(call, "response") as Promise<[IncomingMessage]>; // may come before the body, if the service is slow
  call.flushHeaders();
  await once(call, "continue"); // the service has its headers
  await members.removeMember(named, client.auth);
  clock.at += 1_000;
  call.end(body);
  const [{ statusCode }] = await answered;
  assert.is(statusCode, 404);
  const { filters } = await client.filters.getFilters({ projectId: project.id }, client.auth);
  assert.not(filters?.localhost);
});

test.run();
