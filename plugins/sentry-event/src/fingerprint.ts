import type { JsonObject } from "./json/json.ts";
import { limits } from "./limits.ts";
import { readText } from "./json/text.ts";
import type { Trims } from "./json/trims.ts";

/** The parts an application chose for grouping. Empty: the default grouping, also when it requests nothing else. */
export function readFingerprint(event: JsonObject, trims?: Trims): string[] {
  const sent = event["fingerprint"] ?? event["checksum"];
  if (sent === undefined || sent === null) return [];
  const parts: string[] = [];
  let leftOut = 0;
  for (const part of Array.isArray(sent) ? sent : [sent]) {
    const hasRoom = parts.length < limits.count.fingerprint;
    const text = readText(part, limits.text.fingerprint, hasRoom ? trims?.at(parts.length) : undefined);
    if (text === "") continue;
    if (hasRoom) parts.push(text);
    else leftOut++;
  }
  trims?.entries(parts.length, parts.length + leftOut);
  return parts.length === 1 && DEFAULT.test(parts[0] ?? "") ? [] : parts;
}

const DEFAULT = /^\{\{ *default *\}\}$/;
