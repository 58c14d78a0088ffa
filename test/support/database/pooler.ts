import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** PostgreSQL's messages "BackendKeyData" and "NotificationResponse" (its manual, 54.7). */
const [backendKeyData, notificationResponse] = ["K", "A"];

/**
 * Plays a pooler in front of a PostgreSQL on a Unix socket, with the behaviour observed in PgBouncer 1.18: it gives
 * clients its own connection number, and passes notifications on if it keeps connections for a session. If it lends
 * connections by transaction, a client that listens has no connection while it waits.
 */
export async function startPooler(target: string, mode: "session" | "transaction") {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ path: target });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined); // `close` follows
      socket.on("close", () => [near, far].forEach((one) => one.destroy()));
    }
    near.pipe(far);
    let received: Buffer = Buffer.alloc(0);
    far.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (let length = lengthOf(received); length <= received.length; length = lengthOf(received)) {
        const message = Buffer.from(received.subarray(0, length));
        received = received.subarray(length);
        const type = message.toString("latin1", 0, 1);
        if (type === backendKeyData) message.writeInt32BE(7_000_000 + sockets.size, 5);
        if (type !== notificationResponse || mode === "session") near.write(message);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // a server that listens on a port
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The length of the first message with its type, which exceeds the available bytes while the message is incomplete. */
function lengthOf(bytes: Buffer): number {
  return bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1);
}
