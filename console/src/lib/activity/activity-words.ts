import { pastVerb } from "#lib/errors/status.ts";
import type { ActivityEntry } from "#lib/messages.ts";

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
      return `${status === "ERROR_STATUS_UNSPECIFIED" ? "Changed" : pastVerb(status)}${by}`;
  }
}

/** Who did something, in words: a person's user name, or a plugin. */
export const actorName = (actor: string): string => actor.replace(/^plugin:/, "the plugin ");
