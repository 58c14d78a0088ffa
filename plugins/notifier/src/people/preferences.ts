import { invalidField } from "@faultline/plugin";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { NotificationPreferences, NotificationPreferencesSchema } from "@faultline/proto";
import type { PersonRow } from "./tables.ts";
import { isTimeZone } from "./quiet-hours.ts";

const minutesOfDay = 1_440;
const longestZone = 64;

/** The columns of given preferences; refuses the first field at fault with INVALID_FIELD. */
export function checkedPreferences(given: NotificationPreferences | undefined): Omit<PersonRow, "user_id"> {
  if (!given) throw invalidField("preferences", "Send the preferences.");
  const timeZone = given.timeZone === "" ? "UTC" : given.timeZone;
  if (timeZone.length > longestZone || !isTimeZone(timeZone)) {
    throw invalidField("preferences.time_zone", "This time zone does not exist. Enter a name such as Europe/Berlin.");
  }
  const { quietHours } = given;
  if (quietHours) {
    const { fromMinute, untilMinute } = quietHours;
    if (fromMinute >= minutesOfDay || untilMinute >= minutesOfDay) {
      throw invalidField("preferences.quiet_hours", "Quiet hours begin and end between 00:00 and 23:59.");
    }
    if (fromMinute === untilMinute) {
      throw invalidField("preferences.quiet_hours", "Quiet hours must begin and end at different times.");
    }
  }
  return {
    wants_mail: given.mail ? 1 : 0,
    time_zone: timeZone,
    quiet_from: quietHours?.fromMinute ?? null,
    quiet_until: quietHours?.untilMinute ?? null,
  };
}

/** Without a row: the defaults. */
export function preferencesToProto(
  row: Omit<PersonRow, "user_id"> | undefined,
): MessageInitShape<typeof NotificationPreferencesSchema> {
  if (!row) return { mail: true, timeZone: "UTC" };
  const { wants_mail, time_zone, quiet_from, quiet_until } = row;
  const quietHours =
    quiet_from === null || quiet_until === null ? undefined : { fromMinute: quiet_from, untilMinute: quiet_until };
  return { mail: wants_mail === 1, timeZone: time_zone, ...(quietHours && { quietHours }) };
}
