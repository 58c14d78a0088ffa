import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readStart } from "../../plugins/http-bridge/src/ingest/body/decoded-body.ts";
import { MemoryReservation } from "../../plugins/http-bridge/src/ingest/body/memory-budget.ts";
import { maxBodyBytes } from "../../plugins/http-bridge/src/ingest/limits.ts";
import { promised } from "../support/run/deadlines.ts";
import { until } from "../support/run/until.ts";

const test = suite("starts of bodies");

const head = "POST / HTTP/1.1\r\nHost: faultline.test\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`;

/** Sends a body, and leaves once the server has read it; answers its request, which is destroyed by then. */
async function abandoned(body: string, isWhole: boolean): Promise<IncomingMessage> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  const requested = once(server, "request") as Promise<[IncomingMessage]>;
  socket.write(head + body);
  const [request] = await requested;
  request.on("error", () => undefined);
  await until("the body to be read", () => request.complete === isWhole && request.readableLength > 0);
  socket.resetAndDestroy();
  await until("the request to be destroyed", () => request.destroyed);
  server.close();
  return request;
}

for (const { what, body, isWhole } of [
  { what: "whole", body: `${chunk}0\r\n\r\n`, isWhole: true },
  { what: "in part", body: chunk, isWhole: false },
]) {
  test(`a body that came ${what} is refused when its client left before its turn`, async () => {
    const request = await abandoned(body, isWhole);
    using reservation = new MemoryReservation();
    let answer = "";
    readStart(request, maxBodyBytes.envelope, reservation).then(
      () => (answer = "read"),
      (error: unknown) => (answer = String(error)),
    );
    assert.match(await until("an answer", () => answer, { deadlineMs: promised(3_000) }), /The body is incomplete/);
  });
}

test.run();
