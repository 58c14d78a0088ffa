import type { Breadcrumb } from "@faultline/proto";
import { readAnyText, readBag } from "./bag.ts";
import type { JsonObject } from "./json.ts";
import { readLevel } from "./level.ts";
import { limits } from "./limits.ts";
import { readText } from "./text.ts";
import { readTime, toTimestamp } from "./time.ts";
import { readValues } from "./values.ts";

/** The last 100 breadcrumbs, oldest first; `shift` milliseconds are added to their times. */
export function readBreadcrumbs(event: JsonObject, shift: number): Breadcrumb[] {
  return readValues(event["breadcrumbs"] ?? event["sentry.interfaces.Breadcrumbs"])
    .slice(-limits.count.breadcrumbs)
    .map((sent) => readBreadcrumb(sent, shift));
}

function readBreadcrumb(sent: JsonObject, shift: number): Breadcrumb {
  const time = readTime(sent["timestamp"]);
  const data = readBag(sent["data"], limits.bag.breadcrumb);
  return {
    $typeName: "faultline.v1.Breadcrumb",
    ...(time !== undefined && { time: toTimestamp(time + shift) }),
    type: readText(sent["type"] ?? sent["ty"], limits.text.word) || "default",
    category: readText(sent["category"], limits.text.word),
    level: readLevel(sent["level"], "info"),
    message: readAnyText(sent["message"], limits.text.message),
    ...(data && { data }),
  };
}
