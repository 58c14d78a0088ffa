import { fail, redirect } from "@sveltejs/kit";
import { chosenLevels } from "#lib/inbox/level-words.ts";
import { route } from "#lib/navigation/route.ts";
import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

const pageSize = 50;

export const load: PageServerLoad = async ({ locals, url }) => {
  const { api } = locals;
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [{ preferences }, page] = await Promise.all([
    api.notificationPreferences.getNotificationPreferences({}),
    api.notificationPreferences.listNotificationLevels({ pageSize, pageToken }),
  ]);
  const timeZone = preferences?.timeZone ?? "UTC";
  const zones = [...new Set(["UTC", timeZone, ...Intl.supportedValuesOf("timeZone")])];
  return { notifications: preferences, zones, ...page, cursor: pageToken, saved: url.searchParams.has("saved") };
};

/** A time of the day as a minute of the day; undefined if it is empty. */
function minuteOf(value: FormDataEntryValue | null): number | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(String(value)) ?? [];
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
}

export const actions: Actions = {
  preferences: async ({ request, locals }) => {
    const form = await request.formData();
    const [fromMinute, untilMinute] = [minuteOf(form.get("from")), minuteOf(form.get("until"))];
    if ((fromMinute === undefined) !== (untilMinute === undefined)) {
      return fail(400, { message: "Enter both the start and the end of quiet hours, or neither.", field: "" });
    }
    const quietHours = fromMinute !== undefined && untilMinute !== undefined && { fromMinute, untilMinute };
    const preferences = {
      mail: form.has("mail"),
      timeZone: String(form.get("time_zone") ?? ""),
      ...(quietHours && { quietHours }),
    };
    return action(async () => {
      await locals.api.notificationPreferences.updateNotificationPreferences({ preferences });
      redirect(303, `${route.notificationPreferences()}?saved`);
    });
  },
  levels: async ({ request, locals, url }) => {
    const form = await request.formData();
    const changed = [...form].flatMap(([key, value]) => {
      const projectId = Number(/^level-(\d+)$/.exec(key)?.[1]);
      if (Number.isNaN(projectId) || value === form.get(`was-${projectId}`)) return [];
      return [
        { projectId, level: chosenLevels.find((one) => one === value) ?? "NOTIFICATION_LEVEL_UNSPECIFIED" },
      ] as const;
    });
    return action(async () => {
      for (const level of changed) await locals.api.notificationPreferences.updateNotificationLevel(level);
      const cursor = url.searchParams.get("cursor");
      redirect(303, `${route.notificationPreferences()}?saved${cursor ? `&${new URLSearchParams({ cursor })}` : ""}`);
    });
  },
};
