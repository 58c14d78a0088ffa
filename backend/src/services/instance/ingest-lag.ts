import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp, type Backlog, type Lag } from "@faultline/plugin";
import type { IngestLagSchema } from "@faultline/proto";

/** The queue is queried each second. Its backlog is unknown after its servers have been silent for this long. */
const knownForMs = 5_000;

/** Whether the servers' last answer is still valid. `now` comes from `performance.now()`. */
export function isKnown(lag: Lag | undefined, now: number = performance.now()): lag is Lag {
  return lag !== undefined && now - lag.askedAt <= knownForMs;
}

/** How far storing is behind; undefined if there is no queue. */
export function ingestLag(
  backlog: Pick<Backlog, "lag"> | undefined,
  now?: number,
): MessageInitShape<typeof IngestLagSchema> | undefined {
  if (!backlog) return undefined;
  const lag = backlog.lag();
  if (!lag) return { known: false };
  const { pending, storedAt, reportedAt, lagMs } = lag;
  return {
    known: isKnown(lag, now),
    storedUntilTime: timestamp(pending === 0 ? reportedAt : storedAt),
    lagMilliseconds: BigInt(Math.round(lagMs)),
  };
}
