import { Role, type ArtifactBundle, type Event, type Release, type UserFeedback } from "@faultline/proto";
import { openBrowser } from "../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { newMember } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { rootPassword, startServer, type Server } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { run, type Command } from "./command.ts";
import type { Outcome, Program } from "./feature.ts";
import { limitedEnv, otherSender } from "./limits.ts";
import { startRecorder } from "./recorder.ts";

/** The servers that programs report to. */
export interface Servers {
  /** Without limits of rate. */
  readonly wide: Server;
  /** Lets a program report to a new project, with one or several commands in turn, and returns the result. */
  observe(program: Program, commands: Command | readonly Command[]): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts a server without rate limits and, for the programs `limits`, a server that soon refuses. */
export async function startServers(): Promise<Servers> {
  const wide = await startServer();
  const narrow = await startServer({ env: limitedEnv });
  return {
    wide,
    observe: (program, commands) => observe(program === "limits" ? narrow : wide, program, [commands].flat()),
    async stop() {
      await wide.stop();
      await narrow.stop();
    },
  };
}

/** The exit code of the program means nothing: some end unhandled. */
async function observe(server: Server, program: Program, commands: readonly Command[]): Promise<Outcome> {
  const project = await createProject(server);
  const recorder = await startRecorder(server.url, program === "limits" ? otherSender(server, project) : undefined);
  try {
    const recorded = (dsn: string) => dsn.replace(new URL(server.url).host, recorder.host);
    const env = {
      FAULTLINE_TEST_DSN: recorded(project.dsn),
      FAULTLINE_TEST_LEGACY_DSN: recorded(project.legacyDsn),
      ...(program === "build" && (await uploadEnvironment(server, project))),
    };
    let output = "";
    for (const command of commands) {
      output += (await run({ ...command, env: { ...command.env, ...env } })).output;
      await untilGroupedByMaps(server, project.id);
    }
    if (recorder.exchanges.length === 0) throw new Error(`the program sent nothing:\n${output}`);
    const events = await storedEvents(server, project.id);
    return {
      events,
      exchanges: recorder.exchanges,
      output,
      errors: () => withClient(server, (client) => storedErrors(client, project.id)),
      releases: () => storedReleases(server, project.id),
      feedback: () => storedFeedback(server, project.id),
      uploads: () => storedUploads(server, project.id),
      traceOnPage: (event) => traceOnPage(server, project, event),
    };
  } finally {
    recorder.close();
  }
}

/** The address for uploads of Sentry's plugins, and a token that can only upload. */
function uploadEnvironment(server: Server, { id, path }: Project): Promise<Readonly<Record<string, string>>> {
  return withClient(server, async (client) => {
    const { token } = await newMember(client, id, Role.DEVELOPER, ["upload"]);
    return { SENTRY_URL: server.url, SENTRY_AUTH_TOKEN: token, SENTRY_ORG: "-", SENTRY_PROJECT: path };
  });
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

function storedFeedback(server: Server, projectId: number): Promise<readonly UserFeedback[]> {
  return withClient(server, async ({ errors, auth }) => (await errors.listFeedback({ projectId }, auth)).feedback);
}

function storedUploads(server: Server, projectId: number): Promise<readonly ArtifactBundle[]> {
  return withClient(
    server,
    async ({ sourceMaps, auth }) => (await sourceMaps.listArtifactBundles({ projectId }, auth)).artifactBundles,
  );
}

/**
 * Waits until events are grouped by the upload. Earlier events are stored as they came, so a page that opens too early
 * would show nothing.
 */
async function untilGroupedByMaps(server: Server, projectId: number): Promise<void> {
  await until("the grouping by uploads", async () =>
    (await storedUploads(server, projectId)).every(({ groupingSinceTime }) => groupingSinceTime),
  );
}

async function traceOnPage(server: Server, { path }: Project, { errorId, eventId }: Event): Promise<string> {
  const browser = await openBrowser(server, { asPeople: true });
  try {
    const signedIn = await withClient(server, ({ accounts }) =>
      accounts.signIn({ username: "root", password: rootPassword }),
    );
    await browser.signIn(signedIn.sessionToken);
    await browser.page.goto(`/${path}/-/error_tracking/${errorId}/details?event=${eventId}`);
    return await browser.page.getByRole("region", { name: "Stack trace" }).innerText();
  } finally {
    await browser.close();
  }
}

async function withClient<T>(server: Server, use: (client: GrpcClient) => Promise<T>): Promise<T> {
  const client = grpcClient(server);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
