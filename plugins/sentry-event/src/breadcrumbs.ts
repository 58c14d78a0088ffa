import type { Breadcrumb } from "@faultline/proto";
import { readAnyText, readTrimmedJson } from "./json/trimmed-json.ts";
import type { JsonObject } from "./json/json.ts";
import { readLevel } from "./level.ts";
import { limits } from "./limits.ts";
import { readText } from "./json/text.ts";
import { readTime, toTimestamp } from "./time.ts";
import type { Trims } from "./json/trims.ts";
import { readValues } from "./json/values.ts";

/** The last 100 breadcrumbs, oldest first; `shift` milliseconds are added to their times. */
export function readBreadcrumbs(event: JsonObject, shift: number, trims: Trims): Breadcrumb[] {
  const sent = readValues(event["breadcrumbs"] ?? event["sentry.interfaces.Breadcrumbs"]);
  const kept = sent.slice(-limits.count.breadcrumbs);
  trims.entries(kept.length, sent.length);
  return kept.map((crumb, index) => readBreadcrumb(crumb, shift, trims.at(index)));
}

function readBreadcrumb(sent: JsonObject, shift: number, trims: Trims): Breadcrumb {
  const time = readTime(sent["timestamp"]);
  const data = readTrimmedJson(sent["data"], limits.trimmedJson.breadcrumb, trims.at("data"));
  return {
    $typeName: "faultline.v1.Breadcrumb",
    ...(time !== undefined && { time: toTimestamp(time + shift) }),
    type: readText(sent["type"] ?? sent["ty"], limits.text.word, trims.at("type")) || "default",
    category: readText(sent["category"], limits.text.word, trims.at("category")),
    level: readLevel(sent["level"], "info"),
    message: readAnyText(sent["message"], limits.text.message, trims.at("message")),
    ...(data && { data }),
  };
}
