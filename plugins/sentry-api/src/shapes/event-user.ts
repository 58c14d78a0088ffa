import type { EventUser } from "@faultline/proto";

/** The tag `user` of an event: the first of id, username, email and address, with its kind in front. May be empty. */
export function userKeyOf(user: EventUser | undefined): string {
  if (!user) return "";
  if (user.id !== "") return `id:${user.id}`;
  if (user.username !== "") return `username:${user.username}`;
  if (user.email !== "") return `email:${user.email}`;
  return user.ipAddress === "" ? "" : `ip:${user.ipAddress}`;
}
