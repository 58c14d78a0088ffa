import type { ErrorEvent, GroupingException } from "@faultline/proto";
import { shownType } from "../generated-names/shown-names.ts";
import { limits } from "../limits.ts";
import { cleanText, firstLine } from "../json/text.ts";
import { faultTitle } from "./fault.ts";
import { type Naming, namingOf } from "./naming-exception.ts";
import { publicName } from "./public-name.ts";

/**
 * The title of an event, at most 256 characters: its own, otherwise `type: first line of value` of the exception that
 * names it, a native crash by its signal, otherwise the first line of its message, otherwise `<unlabeled event>` (section
 * 9.3). White space names nothing: a link to the error would have no name.
 */
export function titleOf(event: Pick<ErrorEvent, "title" | "exceptions" | "message" | "platform">): string {
  const title = event.title || ownTitle(event);
  return cleanText(publicName(title.trim() === "" ? "<unlabeled event>" : title), limits.text.title);
}

function ownTitle({ exceptions, message, platform }: Pick<ErrorEvent, "exceptions" | "message" | "platform">): string {
  const naming = namingOf(exceptions, platform);
  if (!naming) return firstLine(message);
  return exceptionTitle(naming.exception, platform) + remark(naming);
}

function exceptionTitle(exception: GroupingException, platform: string): string {
  if (exception.fault !== "") return faultTitle(exception);
  const line = firstLine(exception.value);
  const sent = exception.type.trim() === "" ? "Error" : shownType(platform, exception.type);
  const type = cleanText(sent, limits.text.titleType);
  return line === "" ? type : `${type}: ${line}`;
}

/** What a title says about a group: ` (3 times in ExceptionGroup)`, ` (KeyError, ValueError)`. */
function remark({ group, types }: Naming): string {
  if (group) return group.count > 1 ? ` (${group.count} times in ${group.type})` : ` (in ${group.type})`;
  return types.length > 0 ? ` (${types.slice(0, mostTypes).join(", ")}${types.length > mostTypes ? ", ..." : ""})` : "";
}

const mostTypes = 5;
