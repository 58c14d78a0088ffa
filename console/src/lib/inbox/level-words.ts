import type { NotificationLevel } from "../messages.ts";

/** The levels of a project, with their names. */
export const levelNames = {
  NOTIFICATION_LEVEL_ALL: "New errors, errors that came back, and status changes",
  NOTIFICATION_LEVEL_NEW_AND_REOPENED: "New errors and errors that came back",
  NOTIFICATION_LEVEL_MINE: "Errors that I watch",
  NOTIFICATION_LEVEL_NONE: "Nothing",
} as const satisfies Partial<Record<NotificationLevel, string>>;

export type ChosenLevel = keyof typeof levelNames;

export const chosenLevels = Object.keys(levelNames) as readonly ChosenLevel[];
