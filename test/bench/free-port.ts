import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/**
 * A port that was free a moment ago, so that an address is known before the service starts. For what is measured here alone,
 * where a proxy would be measured as well; tests use one.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has no other kind
  server.close();
  await once(server, "close");
  return port;
}
