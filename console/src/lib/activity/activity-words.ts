import type { ActivityEntry } from "#lib/messages.ts";

const statusWords: Readonly<Record<string, string>> = {
  ERROR_STATUS_RESOLVED: "Resolved",
  ERROR_STATUS_IGNORED: "Ignored",
  ERROR_STATUS_UNRESOLVED: "Reopened",
};

/** What happened, and who did it, as a sentence without its time: `Resolved by anna`. */
export function activityWords({ kind, status, actor, release }: ActivityEntry): string {
  const by = actor === "" ? "" : ` by ${actorName(actor)}`;
  const within = release === "" ? "" : ` in ${release}`;
  switch (kind) {
    case "ACTIVITY_KIND_CREATED":
      return `First seen${within}`;
    case "ACTIVITY_KIND_REOPENED":
      return `Came back${within}`;
    case "ACTIVITY_KIND_DELETED":
      return `Deleted${by}`;
    case "ACTIVITY_KIND_RESTORED":
      return `Restored${by}`;
    default:
      return `${statusWords[status] ?? "Changed"}${by}`;
  }
}

/** Who did something, in words: a person's user name, or a plugin. */
export const actorName = (actor: string): string => actor.replace(/^plugin:/, "the plugin ");
