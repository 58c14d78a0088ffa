import {
  choice,
  count,
  each,
  flag,
  flagParam,
  idInPath,
  inline,
  isoTime,
  namedParam,
  numberParam,
  operation,
  orNull,
  positive,
  present,
  required,
  shape,
  single,
  text,
  textParam,
  time,
  whole,
  withDefault,
  type Fields,
} from "@faultline/plugin/rest";
import {
  BulkUpdateService,
  BulkUpdateStateSchema,
  ErrorReason,
  ErrorStatus,
  wordOf,
  words,
  type BulkUpdate,
  type GetBulkUpdateResponse,
  type LeftError,
} from "@faultline/proto";
import { errorIdText, searchedStatuses, statuses, statusName } from "./error-operations.ts";

const tag = "Bulk updates";
const { method } = BulkUpdateService;

const fields: Fields<BulkUpdate> = {
  id: [positive("The bulk update."), ({ bulkUpdateId }) => bulkUpdateId],
  project_id: [positive("The project."), ({ projectId }) => projectId],
  state: [
    choice(
      "`changing`: the errors are being changed; `changed`: all are; `stopped`: the others are left as they were; " +
        "`undoing` and `undone`: they get their status back.",
      Object.keys(words(BulkUpdateStateSchema)),
    ),
    ({ state }) => wordOf(BulkUpdateStateSchema, state) ?? null,
  ],
  query: [text("The search whose errors are changed; empty: every error."), ({ query }) => query],
  status: [
    choice("The status that they had.", Object.keys(searchedStatuses)),
    ({ status }) => statusName(status) ?? "all",
  ],
  new_status: [choice("The status that they get.", Object.keys(statuses)), ({ newStatus }) => statusName(newStatus)],
  found_count: [count("Errors that matched when it was made."), ({ foundCount }) => foundCount],
  changed_count: [count("Errors that were changed."), ({ changedCount }) => changedCount],
  left_count: [
    count("Errors that were left, because they had changed since or were deleted."),
    ({ leftCount }) => leftCount,
  ],
  restored_count: [count("Errors that the undo gave their status back."), ({ restoredCount }) => restoredCount],
  kept_count: [
    count("Errors that the undo left, because they had changed since or were deleted."),
    ({ keptCount }) => keptCount,
  ],
  created_at: [time("When it was made."), ({ createdTime }) => isoTime(createdTime)],
  created_by: [text("The user name of the person who made it."), ({ createdBy }) => createdBy],
  undone_by: [
    orNull(text("The user name of the person who undid it; null: nobody did.")),
    ({ undoneBy }) => undoneBy || null,
  ],
  finished_at: [
    orNull(time("When it ended, or its undo did; null: it runs.")),
    ({ finishedTime }) => isoTime(finishedTime),
  ],
};

const bulkUpdate = shape<BulkUpdate>("BulkUpdate", "A change of the status of all errors that match.", fields);

const leftError = inline<LeftError>("An error that was left.", {
  id: [errorIdText, ({ errorId }) => errorId],
  deleted: [flag("It was deleted; otherwise it had changed."), ({ deleted }) => deleted],
});

const readUpdate = shape<GetBulkUpdateResponse>("BulkUpdateWithLeftErrors", "A bulk update and the errors it left.", {
  bulk_update: [bulkUpdate.schema, (response) => bulkUpdate.write(present(response.bulkUpdate))],
  left_errors: each(leftError, ({ leftErrors }) => leftErrors, {
    description: "The first 100 errors that were left.",
  }),
});

const path = { bulk_update_id: idInPath("The bulk update.", ErrorReason.BULK_UPDATE_NOT_FOUND) };

export const listBulkUpdates = operation(method.listBulkUpdates, "GET /projects/:project/error_tracking/bulk_updates", {
  tag,
  summary: "List the bulk updates of a project",
  more: "They are kept for a day, the newest 50.",
  params: { running: flagParam("Only those that are being made or undone.") },
  answer: whole("The bulk updates, the newest first.", bulkUpdate),
  run: async ({ params, invoke }) => (await invoke({ running: params.running ?? false })).bulkUpdates,
});

export const createBulkUpdate = operation(
  method.createBulkUpdate,
  "POST /projects/:project/error_tracking/bulk_updates",
  {
    tag,
    summary: "Set the status of all errors that match",
    more: "The service does it in the background, 1,000 errors at a time. A count that is more than 10 % off is refused with 409, and so is a fourth bulk update while three run. A refused call changes nothing.",
    params: {
      new_status: required(namedParam("The status to set.", statuses)),
      query: textParam("A search (docs/search.md); all errors unless given.", { maxLength: 500 }),
      status: withDefault<ErrorStatus>(
        namedParam("Only errors of this status.", searchedStatuses),
        ErrorStatus.UNSPECIFIED,
        "all",
      ),
      expected_count: required(
        numberParam("How many errors you expect to change, without those that have the status."),
      ),
    },
    answer: single(202, "The bulk update.", bulkUpdate),
    refuses: [409, 422],
    async run({ params, invoke }) {
      const { new_status: newStatus, query = "", status, expected_count: expectedCount } = params;
      return present((await invoke({ newStatus, query, status, expectedCount })).bulkUpdate);
    },
  },
);

export const getBulkUpdate = operation(
  method.getBulkUpdate,
  "GET /projects/:project/error_tracking/bulk_updates/:bulk_update_id",
  {
    tag,
    summary: "Read how far a bulk update has come",
    path,
    answer: single(200, "The bulk update.", readUpdate),
    run: ({ path: { bulk_update_id: bulkUpdateId }, invoke }) => invoke({ bulkUpdateId }),
  },
);

export const stopBulkUpdate = operation(
  method.stopBulkUpdate,
  "POST /projects/:project/error_tracking/bulk_updates/:bulk_update_id/stop",
  {
    tag,
    summary: "Stop a bulk update",
    more: "What it has changed remains. One that has ended is left as it is.",
    path,
    answer: single(200, "The bulk update.", bulkUpdate),
    run: async ({ path: { bulk_update_id: bulkUpdateId }, invoke }) =>
      present((await invoke({ bulkUpdateId })).bulkUpdate),
  },
);

export const undoBulkUpdate = operation(
  method.undoBulkUpdate,
  "POST /projects/:project/error_tracking/bulk_updates/:bulk_update_id/undo",
  {
    tag,
    summary: "Undo a bulk update",
    more: "Each error gets the status that it had. Errors that somebody has changed since, and those that a new event has reopened, stay as they are: `kept_count` says how many.",
    path,
    answer: single(200, "The bulk update.", bulkUpdate),
    refuses: [409],
    run: async ({ path: { bulk_update_id: bulkUpdateId }, invoke }) =>
      present((await invoke({ bulkUpdateId })).bulkUpdate),
  },
);
