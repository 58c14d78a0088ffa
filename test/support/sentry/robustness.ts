import type { Event } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { assertIncludes, type Expected } from "../assert/includes.ts";
import { createProject, type Project } from "../core/project.ts";
import { bytesOf, type RawRequest } from "../http/raw-request.ts";
import { openSocket, type Answer } from "../http/raw-socket.ts";
import { reported } from "../run/reported.ts";
import { startServer, type Server, type ServerOptions } from "../service/server.ts";
import { storedErrors, storedEventIds } from "../database/stored.ts";
import { bound, memoryOf, type Memory } from "../measure/measured.ts";

/** The number of a case of the protocol, or of an attack on reliability (`A29` and so on). */
export type CaseNumber = number | `A${number}`;

/** One request over a raw socket, to a new project. */
export interface Case {
  readonly number: CaseNumber;
  readonly claim: string;
  readonly request: (project: Project) => RawRequest;
  readonly status: number;
  /** Default: one event after 200, otherwise nothing. */
  readonly stored?: Expected | "nothing";
  /** A further check of the answer. */
  readonly answer?: (answer: Answer) => void;
}

/** One event that is sent to `store` and accepted. */
export interface EventCase {
  readonly number: CaseNumber;
  readonly claim: string;
  readonly event: Readonly<Record<string, unknown>>;
  readonly stored: Expected;
}

/** Several requests and answers, to a new project. */
export interface Conversation {
  readonly number: CaseNumber;
  readonly claim: string;
  readonly hold: (parts: { server: Server; client: GrpcClient; project: Project }) => Promise<void>;
}

/**
 * The number of MiB by which all cases of a file may make the service grow: two decompressed bodies of the largest
 * size.
 */
const maxGrowth = 128;

/** The service that cases are sent to. */
export interface CaseOptions extends ServerOptions {
  /** A pattern for the log lines of an intended failure. Default: the service must not fail. */
  readonly failure?: RegExp;
}

/** Makes a test of each case on one server, and a last test of what the cases left behind. */
export function testCases(
  cases: readonly Case[],
  conversations: readonly Conversation[] = [],
  { failure, ...options }: CaseOptions = {},
): void {
  let server: Server;
  let client: GrpcClient;
  let memory: Memory;

  const assertSound = async (rest = "") => {
    const project = await createProject(server);
    const answer = await ask(server, project, { body: `{"message":"sound"${rest}}` });
    assert.is(answer?.status, 200, answer?.text);
    assertIncludes(await onlyEvent(client, project), { message: "sound" });
  };
  test.before(
    reported(async () => {
      server = await startServer(options);
      client = grpcClient(server);
      await assertSound();
      await assertSound(`,"extra":{"large":"${"x".repeat(100_000)}"}`); // the thread for such events has not started yet
      memory = memoryOf(server.pid);
    }),
  );
  test.after(async () => {
    client?.close();
    await server?.stop();
  });

  for (const { number, claim, request, status, stored, answer: holds } of cases)
    test(`${number}: ${claim}`, async () => {
      const project = await createProject(server);
      const answer = await ask(server, project, request(project));
      assert.is(answer?.status, status, answer?.text);
      if (answer) holds?.(answer);
      if (stored === "nothing" || status !== 200) await assertNothingStored(client, project);
      else assertIncludes(await onlyEvent(client, project), stored ?? {});
    });

  for (const { number, claim, hold } of conversations)
    test(`${number}: ${claim}`, async () => hold({ server, client, project: await createProject(server) }));

  test("after all these an event is stored as before, and nothing failed in the log", async () => {
    await assertSound();
    const failures = server.output().match(/^.*"level":[56]0\b.*$/gm) ?? [];
    assert.equal(
      failures.filter((line) => !failure?.test(line)),
      [],
    );
  });

  test("the memory that all these leave behind is reported", () =>
    bound("memory that all cases leave behind", memory.grown(), { atMost: maxGrowth }));
}

/** The requests that post these events. */
export function eventCases(rows: readonly EventCase[]): Case[] {
  return rows.map(({ event, ...rest }) => ({ ...rest, request: () => ({ body: JSON.stringify(event) }), status: 200 }));
}

/** A list of `count` entries. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Sends one request on a new connection. Returns undefined if the service closed the connection without an answer. */
export async function ask(server: Server, project: Project, request: RawRequest): Promise<Answer | undefined> {
  const socket = await openSocket(server);
  socket.write(bytesOf(project, request));
  const answer = await socket.answer();
  socket.destroy();
  return answer;
}

/** All events of a project. */
export async function storedEvents(client: GrpcClient, project: Project): Promise<Event[]> {
  const events: Event[] = [];
  for (const { errorId } of await storedErrors(client, project.id))
    for (const eventId of await storedEventIds(client, project.id, errorId)) {
      const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
      if (event) events.push(event);
    }
  return events;
}

export async function assertNothingStored(client: GrpcClient, project: Project): Promise<void> {
  assert.equal(await storedErrors(client, project.id), []);
}

/** The only event of a project. */
export async function onlyEvent(client: GrpcClient, project: Project): Promise<Event> {
  const [event, ...others] = await storedEvents(client, project);
  assert.ok(event, "nothing is stored");
  assert.is(others.length, 0, "more than one event is stored");
  return event as Event; // asserted above
}
