import { NotificationTriggerSchema, wordOf, words, type NotificationTrigger } from "@faultline/proto";

/** What happened to an error or its project, in the words of REST. */
export const triggerNames = words(NotificationTriggerSchema);

export const triggerName = (trigger: NotificationTrigger): string => wordOf(NotificationTriggerSchema, trigger) ?? "";
