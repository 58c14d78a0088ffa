import type { FakeEvent, FakeIssue } from "./data.ts";
import { wireTags, wireUser } from "./wire-event.ts";
import { iso } from "./wire.ts";

/** The shapes of the Sentry web API: how the events of an issue divide by tags. */

/** `GET issues/<id>/tags/`. */
export function wireIssueTags(issue: FakeIssue) {
  const keys = new Map<string, { value: string; event: FakeEvent }[]>();
  for (const event of issue.events) {
    const tags = wireTags(event, issue).map(({ key, value }) => ({ key, value }));
    const user = userValue(event);
    for (const { key, value } of user === "" ? tags : [...tags, { key: "user", value: user }]) {
      keys.set(key, [...(keys.get(key) ?? []), { value, event }]);
    }
  }
  return [...keys].map(([key, entries]) => {
    const values = valuesOf(key, entries);
    return { key, name: key, totalValues: entries.length, uniqueValues: values.length, topValues: values.slice(0, 10) };
  });
}

/** `GET issues/<id>/tags/user/values/`. */
export function wireIssueUsers(issue: FakeIssue) {
  const entries = issue.events.map((event) => ({ value: userValue(event), event })).filter(({ value }) => value !== "");
  return valuesOf("user", entries).map((value) => {
    const newest = entries.find((entry) => entry.value === value.value);
    const user = wireUser(newest?.event.payload["user"]);
    return { ...value, id: user?.id, username: user?.username, email: user?.email, ipAddress: user?.ip_address };
  });
}

function valuesOf(key: string, entries: readonly { value: string; event: FakeEvent }[]) {
  const values = Map.groupBy(entries, ({ value }) => value);
  return [...values]
    .map(([value, all]) => {
      const times = all.map(({ event }) => event.occurredAt);
      const [first, last] = [Math.min(...times), Math.max(...times)];
      return { key, name: value, value, count: all.length, firstSeen: iso(first), lastSeen: iso(last) };
    })
    .toSorted((one, other) => other.count - one.count);
}

/** Sentry names a user by the user's first name in this order. */
function userValue({ payload }: FakeEvent): string {
  const user = wireUser(payload["user"]);
  if (!user) return "";
  if (user.id) return `id:${String(user.id)}`;
  if (user.username) return `username:${String(user.username)}`;
  if (user.email) return `email:${String(user.email)}`;
  return user.ip_address ? `ip:${String(user.ip_address)}` : "";
}
