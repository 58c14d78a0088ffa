import { type MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  badParameter,
  bodyOf,
  choice,
  count,
  cursorPage,
  fieldsWithin,
  flagParam,
  idInPath,
  isoTime,
  namedParam,
  numberParam,
  operation,
  orNull,
  present,
  single,
  text,
  textParam,
  time,
  type Values,
  withDefault,
} from "@faultline/plugin/rest";
import {
  type CreateDeletionRequestSchema,
  type CreateDeletionResponse,
  CreateDeletionResponseSchema,
  type Deletion,
  DeletionSchema,
  DeletionService,
  type Discard,
  type DiscardEndSchema,
  DiscardSampleSchema,
  DiscardSchema,
  ErrorReason,
  ErrorStatus,
} from "@faultline/proto";
import { errorIds, errorInPath, hexDigits, level, searchedStatuses, statusWord } from "../errors/error-operations.ts";

const tag = "Deletions";
const { method } = DeletionService;

const fields = {
  deletionId: "id",
  query: false,
  status: false,
  allMatching: false,
  undoEndTime: { as: "undo_until", orNull: true },
  finishedTime: null,
} as const;

const search = {
  query: [
    orNull(text("The search whose errors are deleted; null: they were named.")),
    ({ allMatching, query }: Deletion) => (allMatching ? query : null),
  ],
  status: [
    orNull(choice("Of which status; null: they were named.", Object.keys(searchedStatuses))),
    ({ allMatching, status }: Deletion) => (allMatching ? statusWord(status) : null),
  ],
} as const;

const deletion = bodyOf(DeletionSchema, fields, { further: search });

const createdDeletion = bodyOf(
  CreateDeletionResponseSchema,
  { deletion: false, notFoundErrorIds: "not_found" },
  {
    name: "CreatedDeletion",
    description: "A deletion of errors that was just made.",
    further: fieldsWithin(deletion.fields, (response: CreateDeletionResponse) => present(response.deletion)),
  },
);

const oneEnd = "At most one of the three ends is given.";

const newDeletion = {
  ids: errorIds,
  query: textParam("All errors that this search finds.", { maxLength: 500 }),
  status: namedParam("Of these only those of this status; `all` unless given.", searchedStatuses),
  expected_count: numberParam("How many errors you expect to delete; required with `query` or `status`."),
  undo: withDefault(flagParam("False: erase immediately, without undo, for example because the disk is full."), true),
  discard: flagParam("Do not store later events of the same groups; count them."),
  discard_until: { ...textParam(""), schema: time(`Discard until this time. ${oneEnd}`) },
  discard_after: numberParam(`Discard so many events. ${oneEnd}`),
  discard_until_release: textParam(
    `Discard until an event of this release comes, or of a greater semantic version of the same package. ${oneEnd}`,
    { minLength: 1, maxLength: 200 },
  ),
};

const path = { deletion_id: idInPath("The deletion.", ErrorReason.DELETION_NOT_FOUND) };

export const listDeletions = operation(method.listDeletions, "GET /projects/:project/error_tracking/deletions", {
  tag,
  summary: "List the deletions of a project",
  answer: cursorPage("The deletions, the newest first.", deletion),
});

export const createDeletion = operation(method.createDeletion, "POST /projects/:project/error_tracking/deletions", {
  tag,
  summary: "Delete errors",
  more: "Either `ids`, or all errors that `query` and `status` find: these only with `expected_count`, and a count that is more than 10 % off is refused with 409. A refused call changes nothing. For ten minutes it can be undone.",
  params: newDeletion,
  oneOf: [["ids"], ["query", "expected_count"], ["status", "expected_count"]],
  answer: single(202, "The deletion.", createdDeletion),
  refuses: [409, 422],
  run: ({ params, invoke }) =>
    invoke({ target: targetOf(params), withoutUndo: !params.undo, discard: discardOf(params) }),
});

export const getDeletion = operation(
  method.getDeletion,
  "GET /projects/:project/error_tracking/deletions/:deletion_id",
  {
    tag,
    summary: "Read how far a deletion has come",
    path,
    answer: single(200, "The deletion.", deletion),
  },
);

export const undoDeletion = operation(
  method.undoDeletion,
  "POST /projects/:project/error_tracking/deletions/:deletion_id/undo",
  {
    tag,
    summary: "Undo a deletion",
    more: "Until its `undo_until`. An error whose group has a newer error comes back beside it and gets no new events: `superseded_count` says how many.",
    path,
    answer: single(200, "The deletion.", deletion),
    refuses: [409],
  },
);

export const deleteError = operation(
  method.createDeletion,
  "DELETE /projects/:project/error_tracking/errors/:error_id",
  {
    id: "deleteError",
    tag: "Errors",
    summary: "Delete an error with its events",
    more: "It can be undone for ten minutes.",
    path: errorInPath,
    answer: single(202, "The deletion.", deletion),
    async run({ path: { error_id: errorId }, invoke }) {
      const response = await invoke({ target: { case: "errors", value: { errorIds: [errorId] } } });
      return present(response.deletion);
    },
  },
);

/** Empty if nothing is named: the core then refuses and says what to name. */
function targetOf({
  ids,
  query,
  status,
  expected_count: expectedCount,
}: Values<typeof newDeletion>): NonNullable<MessageInitShape<typeof CreateDeletionRequestSchema>["target"]> {
  const isSearch = status !== undefined || query !== undefined || expectedCount !== undefined;
  if (ids && isSearch) throw badParameter("ids, query, status, expected_count", "is invalid"); // only one of the two
  if (ids) return { case: "errors", value: { errorIds: ids } };
  if (!isSearch) return { case: undefined };
  const matching = { query: query ?? "", status: status ?? ErrorStatus.UNSPECIFIED, expectedCount: expectedCount ?? 0 };
  return { case: "matching", value: matching };
}

/** At most one end; `discard` alone lasts until somebody ends it. */
function discardOf(params: Values<typeof newDeletion>): MessageInitShape<typeof DiscardEndSchema> | undefined {
  const { discard, discard_until: until, discard_after: after, discard_until_release: release } = params;
  const given = [until, after, release].filter((one) => one !== undefined).length;
  if (given > 1) throw badParameter("discard_until, discard_after, discard_until_release", "is invalid");
  if (discard === false && given > 0) throw badParameter("discard", "is invalid");
  if (until !== undefined) {
    const at = Date.parse(until);
    if (Number.isNaN(at)) throw badParameter("discard_until", "is invalid");
    return { end: { case: "time", value: timestamp(at) } };
  }
  if (after !== undefined) return { end: { case: "eventCount", value: after } };
  if (release !== undefined) return { end: { case: "release", value: release } };
  return discard === true ? {} : undefined;
}

const discardFields = {
  discardId: "id",
  level: { schema: level },
  end: false,
  endedTime: null,
  lastStoppedTime: null,
} as const;

/** The three possible ends. */
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

const discard = bodyOf(DiscardSchema, { ...discardFields, hourlyCounts: false, samples: false }, { further: ends });
const sample = bodyOf(DiscardSampleSchema, { eventId: { schema: hexDigits } }, { name: null });
const listedDiscard = bodyOf(
  DiscardSchema,
  { ...discardFields, samples: { of: sample } },
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
