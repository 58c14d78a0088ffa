import type { JsonObject } from "./json.ts";
import { limits } from "./limits.ts";
import { readText } from "./text.ts";

/** The parts an application chose for grouping. Empty: the default grouping, also when it asks for nothing else. */
export function readFingerprint(event: JsonObject): string[] {
  const sent = event["fingerprint"] ?? event["checksum"];
  if (sent === undefined || sent === null) return [];
  const parts: string[] = [];
  for (const part of Array.isArray(sent) ? sent : [sent]) {
    const text = readText(part, limits.text.fingerprint);
    if (text !== "" && parts.length < limits.count.fingerprint) parts.push(text);
  }
  return parts.length === 1 && DEFAULT.test(parts[0] ?? "") ? [] : parts;
}

const DEFAULT = /^\{\{ *default *\}\}$/;
