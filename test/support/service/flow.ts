import { test } from "uvu";
import { isOnPostgresql } from "../database/database-of.ts";
import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { startServer, type Server, type ServerOptions } from "./server.ts";

/** A service that other test files use before and after. They leave their projects and people in it. */
export type SharedServer = Pick<Server, "url" | "grpcAddress" | "dataDir" | "output">;

/** Shared services by database. */
const shared = new Map<boolean, Promise<Server>>();

/**
 * The service without options that the test files of one process share. Await it before the first test. Use it if the
 * claims of a file hold in the presence of other projects and people.
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

/** Starts the service for all tests of a file, and stops it at its end. Await it before the first test. */
export async function runningServer(options?: ServerOptions): Promise<{ server: Server; client: GrpcClient }> {
  const server = await startServer(options);
  const client = grpcClient(server);
  test.after(async () => {
    client.close();
    await server.stop();
  });
  return { server, client };
}
