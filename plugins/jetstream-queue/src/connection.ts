import { StartRefusal, type Log } from "@faultline/plugin";
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from "@nats-io/jetstream";
import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";

/** The largest event with its head: 1 MiB of JSON at the door of SDKs, more over gRPC. */
const neededPayload = 8 * 1024 * 1024;

/** A connection that is cut without notice is noticed after at most three pings. */
const pingMs = 2_000;

/** The servers, and the ways to call them. */
export interface Servers {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** False from the loss of the connection until it is restored. */
  isConnected(): boolean;
}

/** Connects to one of the servers and stays connected. Refuses servers on which the queue cannot work. */
export async function connectTo(url: string, log: Log): Promise<Servers> {
  const options = connectionOptions(url);
  let connection: NatsConnection;
  try {
    connection = await connect(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefusal(`No NATS server of FAULTLINE_NATS_URL can be reached (${reason}). Start a server.`, error);
  }
  try {
    const { max_payload: maxPayload, headers } = connection.info ?? {};
    if (!headers || (maxPayload ?? 0) < neededPayload) {
      throw new StartRefusal(
        `The NATS server accepts messages of ${maxPayload} bytes, but an event may have ${neededPayload}. Set "max_payload: 8MB" in its configuration.`,
      );
    }
    const manager = await jetstreamManager(connection, { checkAPI: false }); // the streams are read next
    let isConnected = true;
    void (async () => {
      for await (const status of connection.status()) {
        if (status.type === "disconnect") {
          isConnected = false;
          log.warn({ server: status.server }, "the connection to the NATS server was lost");
        } else if (status.type === "reconnect") {
          isConnected = true;
          log.info({ server: status.server }, "connected to a NATS server again");
        } else if (status.type === "error") log.error({ err: status.error }, "the NATS server refuses");
      }
      isConnected = false;
    })();
    return { connection, client: jetstream(connection), manager, isConnected: () => isConnected };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Reads `nats://user:password@host:port`, or several of them separated by commas; the credentials come from the first. */
export function connectionOptions(url: string): ConnectionOptions {
  const urls = url.split(",").map((one) => {
    const parsed = URL.parse(one.trim());
    if (!parsed || !/^(nats|tls):$/.test(parsed.protocol) || parsed.hostname === "") {
      throw new StartRefusal(
        "FAULTLINE_NATS_URL must look like nats://host:4222, or several addresses joined by commas.",
      );
    }
    return parsed;
  });
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? "");
  const pass = decodeURIComponent(first?.password ?? "");
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || "4222"}`),
    name: "faultline",
    ...(pass !== "" ? { user, pass } : user !== "" ? { token: user } : {}),
    ...(urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: pingMs,
    ignoreAuthErrorAbort: true, // a server that is being reconfigured refuses for a moment
    noAsyncTraces: true, // a stack trace per message costs more than the message
  };
}

/** The names of Faultline on the servers. Installations that share servers have an account each. */
export const intakeStream = "FAULTLINE_INTAKE";
export const intakeSubject = "faultline.intake";

/** The one consumer of the intake: all workers pull from it. */
export const storeConsumer = "store";

export const deadLetterStream = "FAULTLINE_DEAD_LETTERS";

/** The last token is the project; 0 if none is known. */
export const deadLetterSubject = (projectId: number) => `faultline.dead-letters.${projectId}`;
export const deadLetterSubjects = "faultline.dead-letters.*";
