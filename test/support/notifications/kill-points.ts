/** The points of a delivery at which a process is killed, in their order. */
export const killPoints = [
  "after the commit",
  "after the lease",
  "before the connection",
  "after the last byte",
  "after the answer",
  "before the mark",
] as const;

export type KillPoint = (typeof killPoints)[number];

/** From here on the other side has the message, although nobody here knows. */
export const isUnknownAt = (point: KillPoint): boolean =>
  point === "after the last byte" || point === "after the answer" || point === "before the mark";
