import { NotificationTrigger } from "@faultline/proto";

/** What happened to an error or its project, in the words of REST. */
export const triggerNames: Readonly<Record<string, NotificationTrigger>> = {
  created: NotificationTrigger.CREATED,
  reopened: NotificationTrigger.REOPENED,
  status: NotificationTrigger.STATUS,
  spike: NotificationTrigger.SPIKE,
  milestone: NotificationTrigger.MILESTONE,
  release: NotificationTrigger.RELEASE,
  refused: NotificationTrigger.REFUSED,
  quota_near: NotificationTrigger.QUOTA_NEAR,
  quota_reached: NotificationTrigger.QUOTA_REACHED,
  backend_failing: NotificationTrigger.BACKEND_FAILING,
  channel_failing: NotificationTrigger.CHANNEL_FAILING,
};

export const triggerName = (trigger: NotificationTrigger): string =>
  Object.entries(triggerNames).find(([, one]) => one === trigger)?.[0] ?? "";
