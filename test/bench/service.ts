import { rmSync } from "node:fs";
import { createProject, type Project } from "../support/core/project.ts";
import { repositoryRoot, startServer, type Server } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import type { Stored } from "./bench.ts";

/** The running service with a project, under the settings of `npm start`, without rate limits. Disposing stops it. */
export interface Service extends AsyncDisposable {
  readonly server: Server;
  readonly project: Project;
  /** The facts that the load generator needs. */
  readonly door: { readonly url: string; readonly target: string };
}

/** The setting of `npm start` that tests leave out: the service collects its garbage when it is ready. */
export const asStarted = { NODE_OPTIONS: "--expose-gc" };

/** Starts it in a new data directory, which goes with it, or where something is stored, which stays; of another checkout with `root`. */
export async function startService(
  stored?: Stored,
  env: Readonly<Record<string, string>> = {},
  root = repositoryRoot,
): Promise<Service> {
  const dataDir = stored?.dataDir ?? tempDir();
  const server = await startServer({ dataDir, root, env: { ...asStarted, ...env } });
  const project = stored?.project ?? (await createProject(server));
  return {
    server,
    project,
    door: doorOf(server, project),
    async [Symbol.asyncDispose]() {
      await server.stop();
      const faults = server.output().match(/^\{"level":[56]0.*$/gm) ?? [];
      if (faults.length > 0) console.error(`${faults.length} errors in the log, the first: ${faults[0]}`);
      if (!stored) rmSync(dataDir, { recursive: true });
    },
  };
}

/** Makes a project in a data directory and leaves the service stopped. */
export async function makeProject(): Promise<Stored> {
  const dataDir = tempDir();
  const server = await startServer({ dataDir });
  const project = await createProject(server);
  await server.stop();
  return { dataDir, project };
}

export function doorOf(server: Pick<Server, "url">, project: Project): Service["door"] {
  return { url: server.url, target: `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7` };
}
