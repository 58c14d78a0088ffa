import { test } from "uvu";
import { grpcClient, type GrpcClient } from "./grpc.ts";
import { startServer, type Server, type ServerOptions } from "./server.ts";

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
