import {
  byCursor,
  count,
  cursorOf,
  cursorPage,
  each,
  idInPath,
  inline,
  isoTime,
  list,
  single,
  operation,
  orNull,
  positive,
  present,
  shape,
  text,
  time,
  type Fields,
} from "@faultline/plugin/rest";
import { DeletionService, ErrorReason, type Discard } from "@faultline/proto";
import { level } from "../errors/error-operations.ts";
import { eventId } from "../errors/event-shape.ts";

const tag = "Deletions";
const { method } = DeletionService;

const discardFields: Fields<Discard> = {
  id: [positive("The discard."), ({ discardId }) => discardId],
  project_id: [positive("The project."), ({ projectId }) => projectId],
  title: [text("The title of the error that was deleted."), ({ title }) => title],
  culprit: [text("Where it happened; may be empty."), ({ culprit }) => culprit],
  level: [level, (discard) => discard.level],
  created_at: [time("When it began."), ({ createdTime }) => isoTime(createdTime)],
  created_by: [text("The user name of the person who discards."), ({ createdBy }) => createdBy],
  until: [
    orNull(time("When it ends by itself; null: at no time.")),
    ({ end }) => (end?.end.case === "time" ? isoTime(end.end.value) : null),
  ],
  after: [
    orNull(count("After how many events it ends; null: after none.")),
    ({ end }) => (end?.end.case === "eventCount" ? end.end.value : null),
  ],
  until_release: [
    orNull(text("The release that ends it; null: none.")),
    ({ end }) => (end?.end.case === "release" ? end.end.value : null),
  ],
  ended_at: [orNull(time("When it ended; null: it is active.")), ({ endedTime }) => isoTime(endedTime)],
  stopped_count: [count("The events it stopped."), ({ stoppedCount }) => Number(stoppedCount)],
  last_stopped_at: [
    orNull(time("When it stopped the last one; null: none yet.")),
    ({ lastStoppedTime }) => isoTime(lastStoppedTime),
  ],
};

const discard = shape("Discard", "A group of events that is not stored.", discardFields);

const listedDiscard = shape<Discard>("ListedDiscard", "A group of events that is not stored, as a list has it.", {
  ...discardFields,
  hourly_counts: [
    list(count("Events."), { description: "Stopped in each of the last 24 hours, oldest first." }),
    ({ hourlyCounts }) => hourlyCounts,
  ],
  samples: each(
    inline<Discard["samples"][number]>("An event that was stopped.", {
      received_at: [time("When it came."), ({ receivedTime }) => isoTime(receivedTime)],
      event_id: [eventId, (sample) => sample.eventId],
      payload: [text("The event's JSON as it was sent."), ({ payload }) => payload],
    }),
    ({ samples }) => samples,
    { description: "One event a day, the newest three." },
  ),
});

export const listDiscards = operation(method.listDiscards, "GET /projects/:project/error_tracking/discards", {
  tag,
  summary: "List what a project discards",
  params: byCursor,
  answer: cursorPage("The discards: active ones first, then the newest.", listedDiscard),
  async run({ params, invoke }) {
    const { discards, nextPageToken } = await invoke(cursorOf(params));
    return { items: discards, next: nextPageToken };
  },
});

export const endDiscard = operation(
  method.endDiscard,
  "DELETE /projects/:project/error_tracking/discards/:discard_id",
  {
    tag,
    summary: "Record the events of a discard again",
    path: { discard_id: idInPath("The discard.", ErrorReason.DELETION_NOT_FOUND) },
    answer: single(200, "The discard, which has ended.", discard),
    run: async ({ path: { discard_id: discardId }, invoke }) => present((await invoke({ discardId })).discard),
  },
);
