import { setImmediate } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, type BackendCall, type Host } from "@faultline/plugin";
import {
  ErrorStatus,
  type ErrorEvent,
  type PreviewRegroupingRequest,
  type PreviewRegroupingResponseSchema,
  type RegroupedErrorSchema,
} from "@faultline/proto";
import { publicName, titleOf } from "@faultline/sentry-event";
import { ExpensiveReads } from "../expensive-reads.ts";
import { hidden, type ErrorTable } from "../tables.ts";
import { otherErrorsHash } from "../event/summary.ts";
import type { Storage } from "../storage.ts";
import type { Aliases } from "./aliases.ts";
import { groupHash } from "./group-events.ts";
import { newestEvents } from "./regroup.ts";

const most = { errors: 5_000, events: 50, listed: 200 };
const usual = { errors: 1_000, events: 5 };

/** Errors that are read from the database at a time. */
const errorsAtOnce = 100;

/** A preview examines no further errors after this time, because browsers and proxies do not wait longer. */
const longestMs = 8_000;

interface Parts {
  readonly storage: Storage;
  readonly host: Pick<Host, "readHeads">;
  readonly aliases: Aliases;
}

type ErrorRow = Pick<
  ErrorTable,
  "id" | "group_hash" | "title" | "culprit" | "status" | "event_count" | "first_seen_at" | "last_seen_at"
>;

/** The events of a group in one error. */
interface Part {
  readonly error: ErrorRow;
  readonly hash: string;
  readonly newest: ErrorEvent;
  events: number;
}

/**
 * See ErrorService.PreviewRegrouping. Runs one preview at a time, because each reads the payloads of thousands of
 * events.
 */
export class Previews {
  readonly #parts: Parts;
  readonly #turns = new ExpensiveReads({ atOnce: 1, limitMs: longestMs * 2 });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  preview(request: PreviewRegroupingRequest, call: BackendCall): Promise<Preview> {
    return this.#turns.take(call, {
      projectId: request.projectId,
      advice: "Request fewer errors.",
      run: ({ signal }) => preview(this.#parts, request, signal),
    });
  }
}

type Preview = MessageInitShape<typeof PreviewRegroupingResponseSchema>;

async function preview(
  parts: Parts,
  request: PreviewRegroupingRequest,
  signal: AbortSignal | undefined,
): Promise<Preview> {
  const { projectId } = request;
  const errorCount = bounded(request, "errorCount", usual.errors, most.errors);
  const eventCount = bounded(request, "eventsPerError", usual.events, most.events);
  const endsAt = performance.now() + longestMs;
  const found: Part[] = [];
  let [examinedErrorCount, examinedEventCount, hasMore] = [0, 0, false];
  for await (const error of errorsOf(parts.storage, projectId)) {
    if (examinedErrorCount === errorCount || performance.now() > endsAt || signal?.aborted) {
      hasMore = true;
      break;
    }
    const ofError = new Map<string, Part>();
    const heads = await newestEvents(parts.storage, { projectId, errorId: error.id, limit: eventCount });
    for (const head of await parts.host.readHeads(heads)) {
      const hash = parts.aliases.groupOf(projectId, groupHash(head));
      const part = ofError.get(hash);
      if (part) part.events += 1;
      else ofError.set(hash, { error, hash, newest: head, events: 1 });
    }
    found.push(...ofError.values());
    examinedErrorCount += 1;
    examinedEventCount += heads.length;
    await setImmediate(); // other work continues between two errors
  }
  const byHash = Map.groupBy(found, ({ hash }) => hash);
  return {
    joins: [...byHash]
      .filter(([, same]) => same.length > 1)
      .map(([hash, same]) => ({ groupHash: hash, errors: takerFirst(same.map(({ error }) => error)) }))
      .toSorted((a, b) => total(b.errors) - total(a.errors))
      .slice(0, most.listed)
      .map(({ groupHash: hash, errors }) => ({ groupHash: hash, errors: errors.map(errorOf) })),
    splits: [...Map.groupBy(found, ({ error }) => error)]
      .filter(([, groups]) => groups.length > 1)
      .toSorted(([a], [b]) => b.event_count - a.event_count)
      .slice(0, most.listed)
      .map(([error, groups]) => ({
        error: errorOf(error),
        groups: groups.toSorted((a, b) => b.events - a.events).map(groupOf),
      })),
    examinedErrorCount,
    examinedEventCount,
    groupCount: byHash.size,
    hasMore,
  };
}

/** The errors of a project that have their own groups, most recently seen first. */
async function* errorsOf({ read }: Storage, projectId: number): AsyncGenerator<ErrorRow> {
  for (let last: ErrorRow | undefined; ;) {
    const after = last;
    let next = read
      .selectFrom("integrated_error")
      .select(["id", "group_hash", "title", "culprit", "status", "event_count", "first_seen_at", "last_seen_at"])
      .where("project_id", "=", projectId)
      .where("status", "<>", hidden);
    if (after) {
      next = next.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("last_seen_at", "id"), "<", tuple(after.last_seen_at, after.id)),
      );
    }
    const rows: ErrorRow[] = await next
      .orderBy("last_seen_at", "desc")
      .orderBy("id", "desc")
      .limit(errorsAtOnce)
      .execute();
    yield* rows.filter(({ group_hash }) => group_hash.toString("hex") !== otherErrorsHash);
    last = rows.at(-1);
    if (rows.length < errorsAtOnce) return;
  }
}

function bounded(
  request: Pick<PreviewRegroupingRequest, "errorCount" | "eventsPerError">,
  field: "errorCount" | "eventsPerError",
  without: number,
  largest: number,
): number {
  const asked = request[field];
  if (asked <= largest) return asked || without;
  const name = field === "errorCount" ? "error_count" : "events_per_error";
  throw invalidField(name, `Request at most ${largest}.`);
}

/** Sorts the oldest open error first, because it takes all events; see `claim`. */
function takerFirst(errors: readonly ErrorRow[]): ErrorRow[] {
  const rank = ({ status }: ErrorRow) => (status === ErrorStatus.UNRESOLVED ? 0 : 1);
  return errors.toSorted((a, b) => rank(a) - rank(b) || a.first_seen_at - b.first_seen_at || a.id - b.id);
}

const total = (errors: readonly ErrorRow[]) => errors.reduce((sum, { event_count }) => sum + event_count, 0);

const errorOf = ({
  id,
  title,
  culprit,
  status,
  event_count,
}: ErrorRow): MessageInitShape<typeof RegroupedErrorSchema> => ({
  errorId: String(id),
  title: publicName(title),
  culprit: publicName(culprit),
  status,
  eventCount: event_count,
});

const groupOf = ({ hash, newest, events }: Part) => ({
  groupHash: hash,
  title: titleOf(newest),
  culprit: publicName(newest.culprit),
  eventCount: events,
  eventId: newest.eventId,
});
