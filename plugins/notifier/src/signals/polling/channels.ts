import { ErrorStatus, NotificationChannelState, NotificationTrigger } from "@faultline/proto";
import type { Tables } from "../../tables.ts";
import type { NewSignal } from "../../signal-detail.ts";
import { stateOf, type Found, type Look, type Poll } from "./look.ts";

const subject = "channels";

/** The waits between this many tries add up to more than ten minutes (verdict.ts). */
const failedTries = 4;

/** Channels that do not send. The state lists the reported channels; a channel that sends again is removed. */
export const channelPoll: Poll = { triggers: [NotificationTrigger.CHANNEL_FAILING], look: lookAtChannels };

async function lookAtChannels(look: Look): Promise<Found> {
  const { host, projectId, now } = look;
  const failing = await host.database
    .read<Tables>()
    .selectFrom("notifier_channel")
    .select(["id", "name", "state", "state_reason", "failed_tries"])
    .where("project_id", "=", projectId)
    .where(({ eb, or }) =>
      or([eb("state", "=", NotificationChannelState.DISABLED), eb("failed_tries", ">=", failedTries)]),
    )
    .orderBy("id")
    .execute();
  const reported = stateOf<{ ids: number[] }>(look, subject)?.ids ?? [];
  const ids = failing.map(({ id }) => id);
  const signals = failing
    .filter(({ id }) => !reported.includes(id))
    .map((channel): NewSignal => ({
      project_id: projectId,
      error_id: "",
      notification_trigger: NotificationTrigger.CHANNEL_FAILING,
      status: ErrorStatus.UNSPECIFIED,
      happened_at: now,
      detail: {
        channel: {
          id: channel.id,
          name: channel.name,
          reason: channel.state_reason || `The last ${channel.failed_tries} attempts failed.`,
        },
      },
    }));
  const isChanged = ids.length !== reported.length || ids.some((id) => !reported.includes(id));
  return { signals, ...(isChanged && { states: new Map([[subject, { ids }]]) }) };
}
