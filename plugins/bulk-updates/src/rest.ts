import { bodyOf, idInPath, operation, paramsOf, single, whole } from "@faultline/plugin/rest";
import {
  BulkUpdateSchema,
  BulkUpdateService,
  ErrorReason,
  ErrorStatus,
  GetBulkUpdateResponseSchema,
  LeftErrorSchema,
} from "@faultline/proto";

const tag = "Bulk updates";
const { method } = BulkUpdateService;

const searchedStatuses = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
  all: ErrorStatus.UNSPECIFIED,
} as const;

const bulkUpdate = bodyOf(BulkUpdateSchema, {
  bulkUpdateId: "id",
  status: { words: searchedStatuses },
  finishedTime: null,
  undoneBy: null,
});
const leftError = bodyOf(
  LeftErrorSchema,
  { errorId: { as: "id", schema: { pattern: "^[1-9]\\d*$" } } },
  { name: null },
);
const readUpdate = bodyOf(
  GetBulkUpdateResponseSchema,
  { bulkUpdate: { of: bulkUpdate }, leftErrors: { of: leftError } },
  { name: "BulkUpdateWithLeftErrors", description: "A bulk update and the errors it left." },
);

const path = { bulk_update_id: idInPath("The bulk update.", ErrorReason.BULK_UPDATE_NOT_FOUND) };

export const listBulkUpdates = operation(method.listBulkUpdates, "GET /projects/:project/error_tracking/bulk_updates", {
  tag,
  summary: "List the bulk updates of a project",
  more: "They are kept for a day, the newest 50.",
  answer: whole("The bulk updates, the newest first.", bulkUpdate),
});

export const createBulkUpdate = operation(
  method.createBulkUpdate,
  "POST /projects/:project/error_tracking/bulk_updates",
  {
    tag,
    summary: "Set the status of all errors that match",
    more: "The service does it in the background, 1,000 errors at a time. A count that is more than 10 % off is refused with 409, and so is a fourth bulk update while three run. A refused call changes nothing.",
    params: paramsOf(method.createBulkUpdate.input, {
      query: { maxLength: 500 },
      status: { words: searchedStatuses, default: "all" },
      newStatus: { isRequired: true },
      expectedCount: { isRequired: true },
    }),
    answer: single(202, "The bulk update.", bulkUpdate),
    refuses: [409, 422],
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
  },
);
