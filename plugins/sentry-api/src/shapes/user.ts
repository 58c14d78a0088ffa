import type { User } from "@faultline/proto";
import { isoTime } from "../times.ts";

/** The calling user. */
export function userShape(user: User): object {
  return {
    id: String(user.userId),
    name: user.name,
    username: user.username,
    email: user.email,
    isActive: !user.isBlocked,
    isSuperuser: user.isAdmin,
    dateJoined: isoTime(user.createdTime),
    lastLogin: isoTime(user.lastSignInTime),
  };
}
