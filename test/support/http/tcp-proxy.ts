import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** The direction of bytes: from the client to the server, or back. */
export type Way = "there" | "back";

/** A TCP proxy on a free port of the loopback interface. Tests can cut its connections. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection, old and new, until `mend`. */
  cut(): void;
  /**
   * Lets nothing through in these directions, like a network that loses every packet. Data sent in the meantime arrives
   * after `mend`, because TCP sends it again.
   */
  swallow(...ways: readonly Way[]): void;
  /** Lets everything through again, and stops waiting for texts. */
  mend(): void;
  /** Resets the next connection on which this text comes, and drops the data. Resolves after the reset. */
  eat(text: string): Promise<void>;
  /** The same after the data has arrived and before any answer, so that the sender cannot know. */
  eatAnswerTo(text: string): Promise<void>;
  stop(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

interface Awaited {
  readonly text: string;
  /** Whether the data with the text arrives. */
  readonly arrives: boolean;
  readonly resolve: () => void;
}

/** After the text has been sent, the server has this long to act on it before the connection is reset. */
const actMs = 100;

/** A port of the loopback interface, or a Unix socket. */
type Target = number | string;

/**
 * Starts a proxy. A function as target is called for each connection, so a server that starts later, or again on
 * another port, has a fixed address without a chosen port.
 */
export async function startTcpProxy(target: Target | (() => Target)): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const swallowed = new Set<Way>();
  let isCut = false;
  let awaited: Awaited | undefined;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    near.on("error", () => undefined); // `close` follows
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({
      ...addressOf(typeof target === "function" ? target() : target),
      allowHalfOpen: true,
      noDelay: true,
    });
    const pair = { near, far };
    pairs.add(pair);
    let isSilent = false;
    near.on("data", (bytes: Buffer) => {
      if (isSilent) return;
      if (!awaited || !bytes.includes(awaited.text)) {
        far.write(bytes);
        return;
      }
      const { arrives, resolve } = awaited;
      awaited = undefined;
      isSilent = true;
      if (arrives) far.write(bytes);
      setTimeout(
        () => {
          reset(pair);
          resolve();
        },
        arrives ? actMs : 0,
      );
    });
    far.on("data", (bytes: Buffer) => {
      if (!isSilent && !near.destroyed) near.write(bytes);
    });
    near.on("end", () => far.end());
    far.on("end", () => near.end());
    far.on("error", () => resetSocket(near));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    apply(pair);
  });

  const awaitText = (text: string, arrives: boolean) =>
    new Promise<void>((resolve) => {
      awaited = { text, arrives, resolve };
    });

  const apply = ({ near, far }: Pair) => {
    for (const [from, way] of [
      [near, "there"],
      [far, "back"],
    ] as const) {
      if (swallowed.has(way)) from.pause();
      else from.resume();
    }
  };

  await listening(server);
  return {
    port: (server.address() as AddressInfo).port, // a server that listens on a port
    cut() {
      isCut = true;
      for (const pair of pairs) reset(pair);
    },
    swallow(...ways) {
      for (const way of ways) swallowed.add(way);
      for (const pair of pairs) apply(pair);
    },
    mend() {
      isCut = false;
      awaited = undefined;
      swallowed.clear();
      for (const pair of pairs) apply(pair);
    },
    eat: (text) => awaitText(text, false),
    eatAnswerTo: (text) => awaitText(text, true),
    async stop() {
      for (const pair of pairs) reset(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function addressOf(target: Target) {
  return typeof target === "number" ? { host: "127.0.0.1", port: target } : { path: target };
}

function reset({ near, far }: Pair): void {
  for (const socket of [near, far]) resetSocket(socket);
}

/**
 * Node 26 never closes a socket that is reset during its shutdown, and the process then spins at its exit. A Unix
 * socket, which has no family, cannot be reset.
 */
function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}
