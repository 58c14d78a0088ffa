import { setTimeout as delay } from "node:timers/promises";
import { StartRefusal, type Log } from "@faultline/plugin";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import {
  type Servers,
  deadLetterStream,
  deadLetterSubjects,
  intakeStream,
  intakeSubject,
  storeConsumer,
} from "./connection.ts";

const dayMs = 24 * 3_600_000;

/** How long a start waits for servers that are starting as well. */
const readyMs = 30_000;
const readyEveryMs = 500;

/** JetStream's error code for servers without room for the stream (nats-server 2.15, server/errors.json). */
const storageFull = 10047;

/**
 * How long a worker may hold a message without a sign of life before another worker gets it. Workers send one each third
 * of it.
 */
export const ackWaitMs = 30_000;

/** How long the stream remembers message ids: a publication is repeated for ten seconds. */
const duplicateWindowMs = 120_000;

/**
 * Accepted intakes, until they are stored. A work queue deletes what is acknowledged, so `max_bytes` bounds what waits.
 * The stream refuses more (`discard: new`); the default would delete the oldest accepted ones.
 */
function intakeConfig(maxBytes: number, replicas: number): Partial<StreamConfig> & { name: string } {
  return {
    name: intakeStream,
    description: "Faultline: accepted items that are not stored yet",
    subjects: [intakeSubject],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_bytes: maxBytes,
    duplicate_window: nanos(duplicateWindowMs),
  };
}

/** Items that could not be stored, with the reason; kept as long as events are. */
function deadLetterConfig(replicas: number): Partial<StreamConfig> & { name: string } {
  return {
    name: deadLetterStream,
    description: "Faultline: accepted items that could not be stored",
    subjects: [deadLetterSubjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_bytes: 1024 * 1024 * 1024,
    max_age: nanos(90 * dayMs),
    duplicate_window: nanos(duplicateWindowMs),
  };
}

/**
 * `max_deliver` is unlimited: with a limit, a message delivered that often would stay in the stream unseen and forever.
 * The worker decides what is poison. `max_ack_pending` lets eight workers hold a full batch of single events while
 * another one waits.
 */
const consumerConfig = {
  durable_name: storeConsumer,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ackWaitMs),
  max_deliver: -1,
  max_ack_pending: 8_192,
} satisfies Partial<ConsumerConfig>;

/** Creates the missing streams and consumer and checks the existing ones, which it does not change. */
export async function makeStreams(servers: Servers, maxBytes: number, log: Log): Promise<void> {
  const isClustered = servers.connection.info?.cluster !== undefined;
  const replicas = isClustered ? 3 : 1;
  if (!isClustered) {
    log.warn({}, "the NATS server is not part of a cluster: its messages are lost with its disk. Use three servers");
  }
  await makeStream(servers, intakeConfig(maxBytes, replicas), log);
  await makeStream(servers, deadLetterConfig(replicas), log);
  await makeConsumer(servers, log);
}

async function makeStream(
  { manager }: Servers,
  wanted: Partial<StreamConfig> & { name: string },
  log: Log,
): Promise<void> {
  // Another process may create it now: creating the same configuration twice is not an error.
  const info = await onceReady(wanted.name, async () => {
    try {
      return await manager.streams.info(wanted.name);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)) throw error;
      return await manager.streams.add(wanted);
    }
  });
  const { faults, weaknesses } = judge(info.config, wanted);
  if (faults.length > 0) {
    throw new StartRefusal(
      `The stream ${wanted.name} on the NATS servers could lose accepted events: ${faults.join("; ")}. Change it there, or delete it when it is empty.`,
    );
  }
  for (const weakness of weaknesses) log.warn({ stream: wanted.name }, weakness);
}

/**
 * Compares a stream with the wanted one. An operator's changes stay. A setting that breaks the promise is a fault; one
 * that weakens it is a warning.
 */
export function judge(
  is: StreamConfig,
  wanted: Partial<StreamConfig>,
): { readonly faults: string[]; readonly weaknesses: string[] } {
  const faults = (["retention", "storage", "discard"] as const)
    .filter((field) => is[field] !== wanted[field])
    .map((field) => `${field} is ${is[field]} and must be ${wanted[field]}`);
  for (const subject of wanted.subjects ?? []) {
    if (!is.subjects?.includes(subject)) faults.push(`its subjects lack ${subject}`);
  }
  if (is.no_ack) faults.push("no_ack is set");
  if (is.max_age > 0 && !wanted.max_age) faults.push(`max_age is ${is.max_age / 1e9} s and must be unlimited`);
  if (is.max_msg_size > 0) faults.push(`max_msg_size is ${is.max_msg_size} and must be unlimited`);

  const weaknesses: string[] = [];
  if (is.max_age > 0 && is.max_age < (wanted.max_age ?? 0)) {
    weaknesses.push(`the stream keeps messages for only ${is.max_age / 1e9} s instead of 90 days`);
  }
  if (is.num_replicas < (wanted.num_replicas ?? 1)) {
    weaknesses.push(
      `the stream has ${is.num_replicas} replicas: with fewer than three, losing one server can lose the queue`,
    );
  }
  if (is.max_bytes <= 0) weaknesses.push("the stream has no max_bytes: while nothing is stored, it fills the disk");
  if (is.duplicate_window < nanos(30_000)) {
    weaknesses.push(
      "the stream's duplicate_window is shorter than 30 s: messages that are published again may appear twice",
    );
  }
  return { faults, weaknesses };
}

/** Creates the consumer unless it exists. Operators may change its `ack_wait`, `max_ack_pending` and the like. */
export async function makeConsumer({ manager }: Servers, log: Log): Promise<void> {
  const info = await onceReady(intakeStream, async () => {
    try {
      return await manager.consumers.info(intakeStream, storeConsumer);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)) throw error;
      return await manager.consumers.add(intakeStream, consumerConfig);
    }
  });
  const { ack_policy: ackPolicy, max_deliver: maxDeliver = -1, ack_wait: ackWait = 0 } = info.config;
  const faults: string[] = [];
  if (ackPolicy !== AckPolicy.Explicit) faults.push(`ack_policy is ${ackPolicy} and must be explicit`);
  if (maxDeliver > 0) faults.push(`max_deliver is ${maxDeliver} and must be unlimited`);
  if (faults.length > 0) {
    throw new StartRefusal(
      `The consumer ${storeConsumer} of the stream ${intakeStream} could lose accepted events: ${faults.join("; ")}. Change it there, or delete it.`,
    );
  }
  if (ackWait < consumerConfig.ack_wait) {
    log.warn(
      { seconds: ackWait / 1e9 },
      "the consumer's ack_wait is shorter than 30 s: messages may be stored by two workers",
    );
  }
}

/**
 * Retries for servers that were just started: they have no leader for some seconds, and not all of a cluster are up.
 */
async function onceReady<Info>(stream: string, ask: () => Promise<Info>): Promise<Info> {
  const end = performance.now() + readyMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isStorage = error instanceof JetStreamApiError && error.code === storageFull;
      if (isStorage || performance.now() > end) throw unusable(stream, error);
      await delay(readyEveryMs);
    }
  }
}

function unusable(stream: string, error: unknown): StartRefusal {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartRefusal(
    `The stream ${stream} cannot be created or used on the NATS servers (${reason}). JetStream must be enabled, three servers of the cluster must run, and their max_file_store must have room for it.`,
    error,
  );
}
