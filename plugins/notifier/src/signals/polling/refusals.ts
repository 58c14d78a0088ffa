import { hourMs, millisecondsOf, startOfHour } from "@faultline/plugin";
import { ErrorStatus, NotificationTrigger, OutcomeKind, OutcomeService } from "@faultline/proto";
import { nothing, stateOf, type Found, type Look, type Poll } from "./look.ts";

const subject = "refused";
const mostReasons = 5;

/** The outcomes that senders see as 403, 413 and 429. */
const reasons: ReadonlySet<string> = new Set([
  "rate_limit",
  "quota",
  "key_limit",
  "key_disabled",
  "not_active",
  "monitor_off",
  "external_backend",
  "origin",
  "too_large",
]);

/** The first refused events of an hour. The state is the last reported hour. */
export const refusalPoll: Poll = { triggers: [NotificationTrigger.REFUSED], look: lookForRefusals };

async function lookForRefusals(look: Look): Promise<Found> {
  const { host, projectId, now, signal } = look;
  const running = startOfHour(now);
  const reported = stateOf<{ hour: number }>(look, subject)?.hour;
  if (reported === running) return nothing;
  // If the previous hour was not reported, its last minute may have refused events since the last look.
  const hourCount = reported === undefined || reported === running - hourMs ? 1 : 2;
  const { outcomes } = await host.invoke(OutcomeService.method.listOutcomes, { projectId, hourCount }, signal);
  const counts = new Map<string, number>();
  let hour = 0;
  for (const { kind, reason, quantity, lastTime } of outcomes) {
    if (kind !== OutcomeKind.REFUSED || !reasons.has(reason)) continue;
    counts.set(reason, (counts.get(reason) ?? 0) + Number(quantity));
    hour = Math.max(hour, lastTime ? millisecondsOf(lastTime) : running);
  }
  if (counts.size === 0) return nothing;
  const refused = [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((one, other) => other.count - one.count);
  return {
    signals: [
      {
        project_id: projectId,
        error_id: "",
        notification_trigger: NotificationTrigger.REFUSED,
        status: ErrorStatus.UNSPECIFIED,
        happened_at: now,
        detail: { refused: refused.slice(0, mostReasons) },
      },
    ],
    states: new Map([[subject, { hour }]]),
  };
}
