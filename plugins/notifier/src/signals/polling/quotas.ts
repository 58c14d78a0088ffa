import { dayMs } from "@faultline/plugin";
import { ErrorStatus, NotificationTrigger, QuotaService } from "@faultline/proto";
import type { NewSignal } from "../detail.ts";
import { stepQuota, type QuotaState } from "../quota-level.ts";
import { stateOf, type Found, type Look, type Poll } from "./look.ts";

const { QUOTA_NEAR, QUOTA_REACHED } = NotificationTrigger;

/** The limits of a project. Its states are what was reported of each. */
export const quotaPoll: Poll = { triggers: [QUOTA_NEAR, QUOTA_REACHED], look: lookAtQuota };

async function lookAtQuota(look: Look): Promise<Found> {
  const { host, projectId, now, signal } = look;
  const { quota } = await host.invoke(QuotaService.method.getQuota, { projectId }, signal);
  if (!quota) return { signals: [] };
  const { dayBytes, dayLimitBytes, keptBytes, keptLimitBytes } = quota;
  const limits = [
    { of: "day", bytes: Number(dayBytes), limitBytes: Number(dayLimitBytes), day: now - (now % dayMs) },
    { of: "kept", bytes: Number(keptBytes), limitBytes: Number(keptLimitBytes), day: 0 },
  ] as const;
  const signals: NewSignal[] = [];
  const states = new Map<string, object>();
  for (const { of, bytes, limitBytes, day } of limits) {
    const before = stateOf<QuotaState>(look, `quota ${of}`);
    const { state, report } = stepQuota(before, { bytes, limitBytes, day });
    if (before?.level !== state.level || before.day !== state.day) states.set(`quota ${of}`, state);
    if (report === undefined) continue;
    signals.push({
      project_id: projectId,
      error_id: "",
      notification_trigger: report === 100 ? QUOTA_REACHED : QUOTA_NEAR,
      status: ErrorStatus.UNSPECIFIED,
      happened_at: now,
      detail: { quota: { of, bytes, limitBytes } },
    });
  }
  return { signals, states };
}
