import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { startServer, type Server } from "./server.ts";
import { tempDir } from "./temp-dir.ts";

/** One of several services on one database. */
export interface Process {
  readonly server: Server;
  readonly client: GrpcClient;
}

/**
 * Starts services with one key file, one after the other. Each has a database URL, and all lead to the same database.
 * They end with this process, or with `kill9` and `stop`.
 */
export async function startProcesses(
  urls: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Process[]> {
  const processes: Process[] = [];
  for (const url of urls) {
    const dataDir = tempDir();
    const [first] = processes;
    if (first) copyFileSync(join(first.server.dataDir, "secrets.json"), join(dataDir, "secrets.json"));
    const server = await startServer({ dataDir, env: { ...env, FAULTLINE_DATABASE_URL: url } });
    processes.push({ server, client: grpcClient(server) });
  }
  return processes;
}

export async function killAll(processes: readonly Process[]): Promise<void> {
  for (const { client, server } of processes) {
    client.close();
    await server.kill9();
  }
}
