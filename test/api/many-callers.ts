import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** An address in front of a service, behind which each request comes from another network. */
export interface ManyCallers {
  readonly url: string;
  close(): void;
}

/**
 * Starts a proxy that names another client address for each request it passes on: wrong tokens of one network are bounded
 * to twenty a minute, and the calls bring thousands. The service must trust 127.0.0.1 as a proxy.
 */
export async function manyCallers(serviceUrl: string): Promise<ManyCallers> {
  const { hostname, port } = new URL(serviceUrl);
  let count = 0;
  const proxy = createServer((incoming, answer) => {
    count++;
    const caller = `198.18.${(count >> 8) & 255}.${count & 255}`;
    const headers = [...incoming.rawHeaders, "X-Forwarded-For", caller];
    const { url: path, method } = incoming;
    const outgoing = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on("error", () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => void proxy.close().closeAllConnections(),
  };
}
