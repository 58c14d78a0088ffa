import { bodyOf, cursorPage, operation } from "@faultline/plugin/rest";
import { ErrorService, UserFeedbackSchema } from "@faultline/proto";
import { digits, hexDigits } from "./error-operations.ts";
import { feedbackFields } from "./event-shape.ts";

const listed = bodyOf(
  UserFeedbackSchema,
  {
    ...feedbackFields,
    feedbackId: "id",
    eventId: { orNull: true, schema: hexDigits },
    errorId: { orNull: true, schema: digits },
    errorTitle: null,
  },
  { name: "ListedFeedback" },
);

export const listFeedback = operation(
  ErrorService.method.listFeedback,
  "GET /projects/:project/error_tracking/feedback",
  {
    tag: "Feedback",
    summary: "List what users wrote",
    answer: cursorPage("What users wrote, the newest first.", listed),
  },
);
