import {
  byCursor,
  choice,
  cursorOf,
  cursorPage,
  isoTime,
  operation,
  orNull,
  shape,
  text,
  textInPath,
  time,
} from "@faultline/plugin/rest";
import {
  ActivityKindSchema,
  ActivityService,
  ErrorStatusSchema,
  wordOf,
  words,
  type ActivityEntry,
  type ErrorStatus,
} from "@faultline/proto";

const statuses = Object.keys(words(ErrorStatusSchema));
const statusName = (status: ErrorStatus) => wordOf(ErrorStatusSchema, status) ?? null;

const entry = shape<ActivityEntry>("ActivityEntry", "Something that happened to an error.", {
  kind: [
    choice(
      "`created`: its first event arrived; `reopened`: a new event reopened it after it was resolved; `status_changed`: " +
        "somebody set another status; `deleted`, and `restored`: the deletion was undone.",
      Object.keys(words(ActivityKindSchema)),
    ),
    ({ kind }) => wordOf(ActivityKindSchema, kind) ?? "",
  ],
  at: [time("When."), (one) => isoTime(one.time)],
  actor: [
    orNull(text("The user name of the person who did it; null if an event did it, or if the person is not known.")),
    ({ actor }) => actor || null,
  ],
  status_before: [
    orNull(choice("The status before; null: none, or not known.", statuses)),
    ({ statusBefore }) => statusName(statusBefore),
  ],
  status: [choice("The status after.", statuses), (one) => statusName(one.status)],
  release: [
    orNull(text("The release that the first event named, or a new one that brought the error back; null: none.")),
    ({ release }) => release || null,
  ],
});

export const listErrorActivity = operation(
  ActivityService.method.listErrorActivity,
  "GET /projects/:project/error_tracking/errors/:error_id/activity",
  {
    tag: "Errors",
    summary: "List what happened to an error, and who did it",
    more: "With the external backend: the changes that were made here.",
    path: { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) },
    params: byCursor,
    answer: cursorPage("The entries, the newest first.", entry),
    async run({ path: { error_id: errorId }, params, invoke }) {
      const { entries, nextPageToken } = await invoke({ errorId, ...cursorOf(params) });
      return { items: entries, next: nextPageToken };
    },
  },
);
