/** The points of a delivery at which tests kill a process, in order. */
export const killPoints = [
  "after the commit",
  "after the lease",
  "before the connection",
  "after the last byte",
  "after the answer",
  "before the mark",
] as const;

export type KillPoint = (typeof killPoints)[number];

/** Whether the receiver may have the message although the service does not know. */
export const isUnknownAt = (point: KillPoint): boolean =>
  point === "after the last byte" || point === "after the answer" || point === "before the mark";
