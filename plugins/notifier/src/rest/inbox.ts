import { bodyOf, cursorPage, mapped, numberParam, operation, paramsOf, single } from "@faultline/plugin/rest";
import {
  GatheredChangesSchema,
  GetUnreadCountResponseSchema,
  InboxEntrySchema,
  InboxService,
  MarkInboxEntriesReadResponseSchema,
} from "@faultline/proto";

const tag = "Inbox";
const { method } = InboxService;

const entry = bodyOf(InboxEntrySchema, {
  entryId: "id",
  errorId: null,
  trigger: null,
  status: null,
  madeBy: null,
  gathered: { of: bodyOf(GatheredChangesSchema, {}, { name: null }) },
  time: "happened_at",
});
const unread = bodyOf(GetUnreadCountResponseSchema, {}, { name: "UnreadCount" });
const marked = bodyOf(MarkInboxEntriesReadResponseSchema, { notFoundEntryIds: "not_found" }, { name: "MarkedEntries" });

export const listInboxEntries = operation(method.listInboxEntries, "GET /user/inbox", {
  tag,
  summary: "List your inbox",
  params: paramsOf(method.listInboxEntries.input, { unreadOnly: "unread" }),
  answer: cursorPage("The entries, the newest first.", entry),
});

export const getUnreadCount = operation(method.getUnreadCount, "GET /user/inbox/unread_count", {
  tag,
  summary: "Count the unread entries of your inbox",
  answer: single(200, "The count.", unread),
});

export const markInboxEntriesRead = operation(method.markInboxEntriesRead, "POST /user/inbox/read", {
  tag,
  summary: "Mark entries of your inbox as read",
  params: paramsOf(method.markInboxEntriesRead.input, {
    entryIds: { as: "entry_id", ...mapped(numberParam("This entry."), (id) => [BigInt(id)]) },
    untilEntryId: mapped(numberParam("All entries up to this one, such as the newest that you saw."), BigInt),
    untilTime: false,
  }),
  answer: single(200, "What is left.", marked),
});
