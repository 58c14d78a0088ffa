import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, millisecondsOf, type DeadLetters, type Log } from "@faultline/plugin";
import type {
  DeleteUnstoredEventsRequest,
  ListUnstoredEventsResponseSchema,
  ReplayUnstoredEventsRequest,
  ReplayUnstoredEventsResponseSchema,
} from "@faultline/proto";
import { chosenLetters, deadLetterToProto, type UnstoredMessage } from "./dead-letters.ts";
import type { UnstoredEvents } from "./unstored-events.ts";

/** The most unstored events that one list shows. */
const listed = 100;

/**
 * The accepted events of a project that could not be stored. A single machine keeps them in the database, and a queue
 * keeps them as dead letters. An installation that grew may have both.
 */
export class Unstored {
  readonly #events: UnstoredEvents;
  readonly #deadLetters: DeadLetters | undefined;
  readonly #log: Log;

  constructor(parts: { events: UnstoredEvents; deadLetters: DeadLetters | undefined; log: Log }) {
    this.#events = parts.events;
    this.#deadLetters = parts.deadLetters;
    this.#log = parts.log;
  }

  /** The newest first. Returns the events in the database even if the queue cannot be asked. */
  async list(projectId: number): Promise<MessageInitShape<typeof ListUnstoredEventsResponseSchema>> {
    const [events, eventCount, letters] = await Promise.all([
      this.#events.list(projectId),
      this.#events.count(projectId),
      this.#listLetters(projectId),
    ]);
    return {
      unstoredEvents: [...events, ...(letters?.listed ?? [])].toSorted(newestFirst).slice(0, listed),
      totalCount: BigInt(eventCount + (letters?.count ?? 0)),
      deadLettersMissing: letters === undefined,
    };
  }

  async replay(
    request: ReplayUnstoredEventsRequest,
  ): Promise<MessageInitShape<typeof ReplayUnstoredEventsResponseSchema>> {
    const { projectId } = request;
    const { ofEvents, ofLetters } = chosen(request);
    const { stored, failed } = ofEvents ? await this.#events.replay(projectId, ofEvents.ids) : { stored: 0, failed: 0 };
    const letters = ofLetters && (await this.#deadLetters?.replay(ofLetters));
    return {
      storedCount: stored,
      failedCount: failed + (letters?.failed ?? 0),
      acceptedCount: letters?.accepted ?? 0,
      leftCount: BigInt(letters?.left ?? 0),
    };
  }

  /** Returns how many. */
  async delete(request: DeleteUnstoredEventsRequest): Promise<number> {
    const { ofEvents, ofLetters } = chosen(request);
    const events = ofEvents ? await this.#events.delete(request.projectId, ofEvents.ids) : 0;
    return events + ((ofLetters && (await this.#deadLetters?.delete(ofLetters))) ?? 0);
  }

  async #listLetters(projectId: number) {
    if (!this.#deadLetters) return { listed: [], count: 0 };
    try {
      const letters = await this.#deadLetters.list({ projectId }, listed);
      const count = letters.length < listed ? letters.length : await this.#deadLetters.count({ projectId });
      return { listed: letters.map(deadLetterToProto), count };
    } catch (error) {
      this.#log.warn({ err: error }, "dead letters could not be listed");
      return undefined;
    }
  }
}

type Names = Pick<ReplayUnstoredEventsRequest, "projectId" | "unstoredEventIds" | "deadLetterIds">;

/** The named events and dead letters; everything if no id is given. */
function chosen({ projectId, unstoredEventIds, deadLetterIds }: Names) {
  if (unstoredEventIds.length > 100) {
    throw invalidField("unstored_event_ids", "Name at most 100 events per call, or none for all.");
  }
  const isAll = unstoredEventIds.length === 0 && deadLetterIds.length === 0;
  return {
    ofEvents: isAll || unstoredEventIds.length > 0 ? { ids: unstoredEventIds } : undefined,
    ofLetters: isAll || deadLetterIds.length > 0 ? chosenLetters(deadLetterIds, projectId) : undefined,
  };
}

type Listed = Pick<UnstoredMessage, "givenUpTime" | "receivedTime">;

function newestFirst(one: Listed, other: Listed): number {
  return timeOf(other) - timeOf(one);
}

function timeOf({ givenUpTime, receivedTime }: Listed): number {
  const time = givenUpTime ?? receivedTime;
  return time ? millisecondsOf(time) : 0;
}
