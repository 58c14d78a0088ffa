import {
  byCursor,
  choice,
  count,
  cursorOf,
  cursorPage,
  each,
  flag,
  flagParam,
  inline,
  isoTime,
  list,
  numberParam,
  operation,
  orNull,
  positive,
  shape,
  single,
  text,
  time,
  withDefault,
} from "@faultline/plugin/rest";
import {
  ErrorStatusSchema,
  InboxService,
  wordOf,
  words,
  type GatheredChanges,
  type InboxEntry,
  type MarkInboxEntriesReadResponse,
} from "@faultline/proto";
import { triggerName, triggerNames } from "./trigger-names.ts";

const tag = "Inbox";
const { method } = InboxService;

const gathered = inline<GatheredChanges>("Changes of one kind.", {
  trigger: [choice("What happened.", Object.keys(triggerNames)), ({ trigger }) => triggerName(trigger)],
  count: [count("How often."), (of) => of.count],
});

const entry = shape<InboxEntry>("InboxEntry", "A change of an error that concerns you, or several changes.", {
  id: [positive("The entry."), ({ entryId }) => Number(entryId)],
  project_id: [positive("The project."), ({ projectId }) => projectId],
  project_path: [text("Its path."), ({ projectPath }) => projectPath],
  error_id: [orNull(text("The error; null: it gathers several changes.")), ({ errorId }) => errorId || null],
  title: [text("The title of the error when it changed."), ({ title }) => title],
  culprit: [text("Where in the code it happened; may be empty."), ({ culprit }) => culprit],
  level: [text("The level of the error."), ({ level }) => level],
  trigger: [
    orNull(choice("What happened; null: it gathers several changes.", Object.keys(triggerNames))),
    ({ trigger }) => triggerName(trigger) || null,
  ],
  status: [
    orNull(choice("The status that the change gave the error.", Object.keys(words(ErrorStatusSchema)))),
    ({ status }) => wordOf(ErrorStatusSchema, status) ?? null,
  ],
  made_by: [orNull(text("The user name of the person who made it; null: nobody.")), ({ madeBy }) => madeBy || null],
  gathered: each(gathered, (one) => one.gathered, { description: "The changes that it gathers, by what happened." }),
  happened_at: [time("When it happened."), (one) => isoTime(one.time)],
  arrived_at: [
    time("When it appeared, by which entries are listed: after quiet hours, or when it last gathered a change."),
    (one) => isoTime(one.arrivedTime),
  ],
  read: [flag("You have read it."), ({ read }) => read],
});

const unread = shape<{ readonly unreadCount: number }>("UnreadCount", "Your unread entries.", {
  unread_count: [count("How many there are."), ({ unreadCount }) => unreadCount],
});

const marked = shape<MarkInboxEntriesReadResponse>("MarkedEntries", "The result of marking entries as read.", {
  unread_count: [count("How many unread entries are left."), ({ unreadCount }) => unreadCount],
  not_found: [
    list(positive(""), { description: "The id that was sent, if it names no entry of your inbox." }),
    ({ notFoundEntryIds }) => notFoundEntryIds.map(Number),
  ],
});

export const listInboxEntries = operation(method.listInboxEntries, "GET /user/inbox", {
  tag,
  summary: "List your inbox",
  params: { unread: withDefault(flagParam("Only entries that you have not read."), false), ...byCursor },
  answer: cursorPage("The entries, the newest first.", entry),
  async run({ params, invoke }) {
    const { entries, nextPageToken } = await invoke({ unreadOnly: params.unread, ...cursorOf(params) });
    return { items: entries, next: nextPageToken };
  },
});

export const getUnreadCount = operation(method.getUnreadCount, "GET /user/inbox/unread_count", {
  tag,
  summary: "Count the unread entries of your inbox",
  answer: single(200, "The count.", unread),
  run: ({ invoke }) => invoke({}),
});

export const markInboxEntriesRead = operation(method.markInboxEntriesRead, "POST /user/inbox/read", {
  tag,
  summary: "Mark entries of your inbox as read",
  params: {
    entry_id: numberParam("This entry."),
    until_entry_id: numberParam("All entries up to this one, such as the newest that you saw."),
  },
  answer: single(200, "What is left.", marked),
  run: ({ params: { entry_id: id, until_entry_id: until = 0 }, invoke }) =>
    invoke({ entryIds: id === undefined ? [] : [BigInt(id)], untilEntryId: BigInt(until) }),
});
