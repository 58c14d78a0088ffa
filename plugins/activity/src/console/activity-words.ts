import { pastVerb } from "@faultline/console/errors/status.ts";
import type { ActivityEntry } from "@faultline/console/messages.ts";
import { actorName } from "@faultline/console/people/actor-name.ts";

/** How many entries the panel shows at first. */
export const shownAtFirst = 5;

/** What happened and who did it, in a sentence without the time: `Resolved by anna`. */
export function activityWords({ kind, status, actor, release, text }: ActivityEntry): string {
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
    case "ACTIVITY_KIND_OTHER":
      return `${text}${by}`;
    default:
      return `${status === "ERROR_STATUS_UNSPECIFIED" ? "Changed" : pastVerb(status)}${by}`;
  }
}
