import { test } from "uvu";
import { isOnPostgresql } from "../database/database-of.ts";
import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { startServer, type Server, type ServerOptions } from "./server.ts";

/** A service that other test files use as well, one after the other; they leave their projects and people in it. */
export type SharedServer = Pick<Server, "url" | "grpcAddress" | "dataDir" | "output">;

/** By database. */
const shared = new Map<boolean, Promise<Server>>();

/**
 * The service, without options, that the test files of one process share. To be awaited before the first test. It is for
 * files whose claims hold beside the projects and people of others.
 */
export async function sharedServer(): Promise<{ server: SharedServer; client: GrpcClient }> {
  const running = await shared.get(isOnPostgresql());
  const starting = running && !running.hasEnded() ? Promise.resolve(running) : startServer({ lasts: "process" });
  shared.set(isOnPostgresql(), starting);
  const server = await starting;
  const client = grpcClient(server);
  test.after(() => {
    client.close();
    if (server.hasEnded()) throw new Error(`the service ended by itself:\n${server.output()}`);
  });
  return { server, client };
}

/** Starts the service for all tests of a file, and stops it after them. To be awaited before the first test. */
export async function runningServer(options?: ServerOptions): Promise<{ server: Server; client: GrpcClient }> {
  const server = await startServer(options);
  const client = grpcClient(server);
  test.after(async () => {
    client.close();
    await server.stop();
  });
  return { server, client };
}
