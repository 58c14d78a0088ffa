import {
  bodyOf,
  cursorPage,
  idInPath,
  isoTime,
  operation,
  orNull,
  count,
  single,
  text,
  time,
} from "@faultline/plugin/rest";
import { DeletionService, DiscardSampleSchema, DiscardSchema, ErrorReason, type Discard } from "@faultline/proto";
import { hexDigits, level } from "../errors/error-operations.ts";

const tag = "Deletions";
const { method } = DeletionService;

const fields = {
  discardId: "id",
  level: { schema: level },
  end: false,
  endedTime: null,
  lastStoppedTime: null,
} as const;

/** One of the three ends. */
const ends = {
  until: [
    orNull(time("When it ends by itself; null: at no time.")),
    ({ end }: Discard) => (end?.end.case === "time" ? isoTime(end.end.value) : null),
  ],
  after: [
    orNull(count("After how many events it ends; null: after none.")),
    ({ end }: Discard) => (end?.end.case === "eventCount" ? end.end.value : null),
  ],
  until_release: [
    orNull(text("The release that ends it; null: none.")),
    ({ end }: Discard) => (end?.end.case === "release" ? end.end.value : null),
  ],
} as const;

const discard = bodyOf(DiscardSchema, { ...fields, hourlyCounts: false, samples: false }, { further: ends });
const sample = bodyOf(DiscardSampleSchema, { eventId: { schema: hexDigits } }, { name: null });
const listedDiscard = bodyOf(
  DiscardSchema,
  { ...fields, samples: { of: sample } },
  {
    name: "ListedDiscard",
    description: "A group of events that is not stored, as a list has it.",
    further: ends,
  },
);

export const listDiscards = operation(method.listDiscards, "GET /projects/:project/error_tracking/discards", {
  tag,
  summary: "List what a project discards",
  answer: cursorPage("The discards: active ones first, then the newest.", listedDiscard),
});

export const endDiscard = operation(
  method.endDiscard,
  "DELETE /projects/:project/error_tracking/discards/:discard_id",
  {
    tag,
    summary: "Record the events of a discard again",
    path: { discard_id: idInPath("The discard.", ErrorReason.DELETION_NOT_FOUND) },
    answer: single(200, "The discard, which has ended.", discard),
  },
);
