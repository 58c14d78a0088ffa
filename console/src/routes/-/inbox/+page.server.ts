import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

const pageSize = 50;

export const load: PageServerLoad = async ({ locals, url }) => {
  const unreadOnly = url.searchParams.has("unread");
  const pageToken = url.searchParams.get("cursor") ?? "";
  const { inbox } = locals.api;
  const { unreadCount } = await inbox.getUnreadCount({}); // first, so that an entry that arrives meanwhile is announced
  return { unreadOnly, unreadCount, ...(await inbox.listInboxEntries({ unreadOnly, pageSize, pageToken })) };
};

export const actions: Actions = {
  read: async ({ request, locals }) => {
    const form = await request.formData();
    const entryIds = form.getAll("entry_id").map(String);
    const untilEntryId = String(form.get("until") ?? "0");
    const untilTime = form.get("until_time");
    return action(async () => {
      await locals.api.inbox.markInboxEntriesRead({
        entryIds,
        untilEntryId,
        ...(typeof untilTime === "string" && { untilTime }),
      });
      return { message: "" };
    });
  },
};
