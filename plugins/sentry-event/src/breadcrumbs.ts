import type { Breadcrumb } from "@faultline/proto";
import { readAnyText, readTrimmedJson } from "./json/trimmed-json.ts";
import { asObject, type JsonField, type JsonObject } from "./json/json.ts";
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
    message: readAnyText(consoleText(sent) ?? sent["message"], limits.text.message, trims.at("message")),
    ...(data && { data }),
  };
}

/**
 * The text that the console of a browser or of Node shows, for a breadcrumb that has the template with its arguments:
 * `data.arguments` are those of the call. Undefined for any other breadcrumb, and for a text that is filled in already.
 */
function consoleText({ category, message, data }: JsonObject): string | undefined {
  if (category !== "console" || typeof message !== "string") return undefined;
  const sent = asObject(data)?.["arguments"];
  if (!Array.isArray(sent)) return undefined;
  const [template, ...values] = sent;
  if (typeof template !== "string" || !template.includes("%") || !message.startsWith(template)) return undefined;
  let next = 0;
  const filled = template.replaceAll(/%([sdifoOjc%])/g, (directive, letter: string) => {
    if (letter === "%") return "%";
    if (next >= values.length) return directive;
    const value = values[next++];
    return letter === "c" ? "" : argumentText(value); // %c is the style of what follows
  });
  return [filled, ...values.slice(next).map(argumentText)].join(" ");
}

const argumentText = (value: JsonField) => (value === null ? "null" : readAnyText(value, limits.text.parameter));
