import type { Event, Release } from "@faultline/proto";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { startServer, type Server } from "../support/service/server.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { run, type Command } from "./command.ts";
import type { Outcome, Program } from "./feature.ts";
import { limitedEnv, otherSender } from "./limits.ts";
import { startRecorder } from "./recorder.ts";

/** The servers that programs report to. */
export interface Servers {
  /** Without limits of rate. */
  readonly wide: Server;
  /** Lets a program report to a project of its own and returns what it left. */
  observe(program: Program, command: Command): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts a server without limits of rate and, for the programs `limits`, one that soon refuses. */
export async function startServers(): Promise<Servers> {
  const wide = await startServer();
  const narrow = await startServer({ env: limitedEnv });
  return {
    wide,
    observe: (program, command) => observe(program === "limits" ? narrow : wide, program, command),
    async stop() {
      await wide.stop();
      await narrow.stop();
    },
  };
}

/** The exit code of the program means nothing: some end unhandled. */
async function observe(server: Server, program: Program, command: Command): Promise<Outcome> {
  const project = await createProject(server);
  const recorder = await startRecorder(server.url, program === "limits" ? otherSender(server, project) : undefined);
  try {
    const recorded = (dsn: string) => dsn.replace(new URL(server.url).host, recorder.host);
    const env = { FAULTLINE_TEST_DSN: recorded(project.dsn), FAULTLINE_TEST_LEGACY_DSN: recorded(project.legacyDsn) };
    const { output } = await run({ ...command, env: { ...command.env, ...env } });
    if (recorder.exchanges.length === 0) throw new Error(`the program sent nothing:\n${output}`);
    const events = await storedEvents(server, project.id);
    return { events, exchanges: recorder.exchanges, output, releases: () => storedReleases(server, project.id) };
  } finally {
    recorder.close();
  }
}

/** All events of a project, whole, in no order. */
export function storedEvents(server: Server, projectId: number): Promise<Event[]> {
  return withClient(server, async (client) => {
    const groups = await storedErrors(client, projectId);
    const ids = await Promise.all(groups.map(({ errorId }) => storedEventIds(client, projectId, errorId)));
    const answers = await Promise.all(
      ids.flat().map((eventId) => client.errors.getEvent({ projectId, eventId }, client.auth)),
    );
    return answers.flatMap(({ event }) => event ?? []);
  });
}

function storedReleases(server: Server, projectId: number): Promise<readonly Release[]> {
  return withClient(server, async ({ releases, auth }) => (await releases.listReleases({ projectId }, auth)).releases);
}

async function withClient<T>(server: Server, use: (client: GrpcClient) => Promise<T>): Promise<T> {
  const client = grpcClient(server);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
