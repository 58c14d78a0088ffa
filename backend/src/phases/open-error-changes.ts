import type { Clock, Database, ErrorChanges } from "@faultline/plugin";
import type { Stops } from "../host/stops.ts";
import { ChangeStream } from "../host/changes/change-stream.ts";
import { NotedTransitions } from "../host/changes/noted-transitions.ts";

/**
 * Changes of errors: backends publish them through `publisher`, watches read `stream`, and plugins take `transitions`.
 */
export interface OpenErrorChanges {
  readonly publisher: ErrorChanges;
  readonly stream: ChangeStream;
  readonly transitions: NotedTransitions;
}

/** The phase that opens the stream of changes of errors. Pending changes are announced at the stop. */
export function openErrorChanges(
  database: Database,
  { clock, stops }: { clock: Clock; stops: Stops },
): OpenErrorChanges {
  const stream = new ChangeStream(database.announcements, clock);
  const transitions = new NotedTransitions(database, clock);
  stops.add("announcing which errors changed", () => stream.announce());
  return {
    publisher: {
      publish: (changes, by) => stream.publish(changes, by),
      publishUnnamed: (projectId) => stream.publishUnnamed(projectId),
      note: (noted) => transitions.note(noted),
    },
    stream,
    transitions,
  };
}
