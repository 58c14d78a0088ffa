import { setTimeout as delay } from "node:timers/promises";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { bytesOf } from "../support/http/raw-request.ts";
import { openSocket } from "../support/http/raw-socket.ts";
import { startWatchedServer, type WatchedServer } from "../support/service/watched-server.ts";
import { worstRequests, type WorstRequest } from "./worst-requests.ts";

/** Nothing may hold up all other requests for longer. */
export const maxBlockMs = 200;

/** Tries of one request: another program on the machine can hold up any of them, though not for long. */
const maxTries = 3;
const noiseMs = 5_000;

/** The shortest block of the event loop while a request arrived, and while its event was shown. */
export interface Blocked {
  readonly claim: string;
  readonly arrivalMs: number;
  /** 0 when no event came of it. */
  readonly readingMs: number;
}

/** Sends the worst requests that are known, one by one, to a service without rate limits. */
export async function* measureEventLoop(): AsyncGenerator<Blocked> {
  const server = await startWatchedServer();
  const client = grpcClient(server);
  try {
    for (const worst of worstRequests) {
      const project = await createProject(server);
      const arrivalMs = await best(server, () => send(server, project, worst));
      const readingMs = await best(server, () => show(client, project).catch(() => undefined));
      yield { claim: worst.claim, arrivalMs, readingMs };
    }
  } finally {
    client.close();
    await server.stop();
  }
}

/**
 * The shortest of the longest blocks of a few tries. It stops as soon as a block is short enough. Also returns the
 * requests without an answer.
 */
async function best(server: WatchedServer, work: () => Promise<void>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < maxTries && shortest > maxBlockMs; tries++) {
    await server.longestBlock();
    await work();
    await delay(5); // the watch notes a block when the next of its timers is due
    shortest = Math.min(shortest, await server.longestBlock());
    if (shortest > noiseMs) break;
  }
  return shortest;
}

async function send(server: WatchedServer, project: Project, { request }: WorstRequest): Promise<void> {
  const socket = await openSocket(server);
  socket.write(bytesOf(project, request(project)));
  await socket.answer().catch(() => undefined);
  socket.destroy();
}

/** Reads an event of the project, if there is one, like its page. */
async function show({ errors, auth }: GrpcClient, { id: projectId }: Project): Promise<void> {
  const [error] = (await errors.listErrors({ projectId, pageSize: 1 }, auth)).errors;
  if (!error) return;
  const [event] = (await errors.listEvents({ projectId, errorId: error.errorId, pageSize: 1 }, auth)).events;
  if (event) await errors.getEvent({ projectId, eventId: event.eventId }, auth);
}
