import { setTimeout as delay } from "node:timers/promises";
import {
  contractVersion,
  StartRefusal,
  type Backlog,
  type Host,
  type IngestQueue,
  type Log,
  type Plugin,
  type Lag,
} from "@faultline/plugin";
import { Accept } from "./accept.ts";
import { connectTo, type Servers, intakeStream } from "./connection.ts";
import { DeadLetterStream, Watch } from "./dead-letters.ts";
import { makeStreams } from "./streams.ts";
import { Worker, type Work } from "./worker.ts";

export type { Work } from "./worker.ts";

/** How long a stop waits for the acknowledgement of what was accepted. */
const drainMs = 3_000;

const defaultMaxBytes = 8 * 1024 * 1024 * 1024;

/** The queue of several machines, and the worker that stores its messages. */
export interface JetStreamQueue extends Plugin, Backlog {
  readonly queue: IngestQueue;
  /** Connects, then creates or checks the streams. Refuses servers on which accepted events could be lost. */
  start(host: Pick<Host, "log" | "clock">): Promise<void>;
  /** Stops accepting and storing. Work under way is finished; waiting messages stay in the stream. */
  stop(): Promise<void>;
  /** Begins to store the stream's messages, after `start`. Any number of processes may. */
  startWorker(work: Work): void;
  /** Whether an intake would be accepted now: the queue is connected, and acknowledged the last intake. */
  readonly isAccepting: boolean;
  /** Whether this process stores, and could store the last batch. */
  readonly isStoring: boolean;
}

/**
 * Holds accepted intakes in a replicated stream of NATS JetStream until a worker has stored them (docs/queue.md). A
 * process uses the half it needs: `queue` accepts, `startWorker` stores.
 */
export function jetstreamQueue({
  url,
  maxBytes = defaultMaxBytes,
}: {
  /** Such as `nats://user:password@host:4222`, or several separated by commas; `tls://` for TLS. */
  url: string;
  /** The bound of a stream that is created here; the stream refuses more. Default 8 GiB. */
  maxBytes?: number;
}): JetStreamQueue {
  let log: Log = silent;
  let servers: Servers | undefined;
  let worker: Worker | undefined;
  const accept = new Accept({
    info: (...line) => log.info(...line),
    warn: (...line) => log.warn(...line),
    error: (...line) => log.error(...line),
  });
  const deadLetters = new DeadLetterStream((intake) => accept.accept(intake));
  const lag = watchLag();
  const backlog: Backlog = {
    isConnected: () => servers?.isConnected() ?? false,
    lag: () => lag.last,
    deadLetters,
  };

  return {
    name: "jetstream-queue",
    contract: contractVersion,
    queue: { accept: (intake) => accept.accept(intake), backlog },
    ...backlog,
    get isAccepting() {
      return !accept.isFailing;
    },
    get isStoring() {
      return worker !== undefined && !worker.isFailing;
    },

    async start(host) {
      ({ log } = host);
      servers = await connectTo(url, log);
      try {
        await makeStreams(servers, maxBytes, log);
      } catch (error) {
        await servers.connection.close();
        throw error;
      }
      deadLetters.start(servers, host);
      accept.use(servers);
      lag.start(servers, log);
    },

    startWorker(work) {
      if (!servers || worker) throw new StartRefusal("A worker is started once, after its queue.");
      worker = new Worker({ servers, deadLetters, work, log });
      worker.start();
    },

    async stop() {
      lag.stop();
      deadLetters.stop();
      await worker?.stop();
      await Promise.race([accept.drained(), delay(drainMs, undefined, { ref: false })]);
      accept.use(undefined);
      await servers?.connection.close();
    },
  };
}

const silent: Log = { info() {}, warn() {}, error() {} };

/** Measures each second how far storing is behind. */
function watchLag(): Watch<Lag> {
  return new Watch(askLag, { everyMs: 1_000, onFault: "the queue does not report how many messages are waiting" });
}

/** The stream holds exactly what is not stored yet, so its first message is the oldest that waits. */
export async function askLag({ manager }: Servers): Promise<Lag> {
  const askedAt = performance.now();
  const { state, ts } = await manager.streams.info(intakeStream);
  const pending = state.messages;
  const acceptedAt = state.last_seq === 0 ? 0 : Date.parse(state.last_ts);
  const storedAt = pending === 0 ? acceptedAt : Date.parse(state.first_ts);
  const reportedAt = ts === undefined ? Date.now() : Date.parse(ts);
  return {
    acceptedAt,
    storedAt,
    pending,
    lagMs: pending === 0 ? 0 : Math.max(reportedAt - storedAt, 0),
    reportedAt,
    askedAt,
  };
}
