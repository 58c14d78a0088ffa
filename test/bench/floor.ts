/**
 * The floor: what a server cannot avoid to do with an event. It gunzips the body, parses its lines as JSON and answers;
 * it checks nothing and stores nothing. Prints its address when it listens.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = gunzipSync(Buffer.concat(chunks), { maxOutputLength: 1_000_000 });
    const [header, , event] = body
      .toString()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const text = JSON.stringify({ id: header?.["event_id"] ?? event?.["event_id"] });
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": text.length }).end(text);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("SIGTERM", () => process.exit(0));
