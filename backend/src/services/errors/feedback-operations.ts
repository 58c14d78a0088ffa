import { byCursor, cursorOf, cursorPage, operation, orNull, positive, shape, text } from "@faultline/plugin/rest";
import { ErrorService, type UserFeedback } from "@faultline/proto";
import { errorIdText } from "./error-operations.ts";
import { eventId, feedbackFields } from "./event-shape.ts";

const listed = shape<UserFeedback>("ListedFeedback", "What a user wrote, about an event or about none.", {
  id: [positive("Its id in the project."), ({ feedbackId }) => Number(feedbackId)],
  ...feedbackFields,
  event_id: [
    orNull({ ...eventId, description: "The event it is about, which may come later; null: it is about none." }),
    (entry) => entry.eventId || null,
  ],
  error_id: [
    orNull({ ...errorIdText, description: "The error of that event; null: there is none, or not anymore." }),
    ({ errorId }) => errorId || null,
  ],
  error_title: [orNull(text("The title of that error.")), ({ errorTitle }) => errorTitle || null],
});

export const listFeedback = operation(
  ErrorService.method.listFeedback,
  "GET /projects/:project/error_tracking/feedback",
  {
    tag: "Feedback",
    summary: "List what users wrote",
    params: byCursor,
    answer: cursorPage("What users wrote, the newest first.", listed),
    async run({ params, invoke }) {
      const { feedback, nextPageToken } = await invoke(cursorOf(params));
      return { items: feedback, next: nextPageToken };
    },
  },
);
