import { hash } from "node:crypto";
import type { ErrorEvent } from "@faultline/proto";
import { groupParts } from "@faultline/sentry-event";

/** Stored with each error. A changed algorithm gets a new number, and errors of older ones are claimed (claims.ts). */
export const groupingVersion = 2;

/** The group an event belongs to, as 32 hexadecimal digits: a digest of what identifies its error. */
export function groupHash(event: ErrorEvent): string {
  return hash("sha256", `${groupingVersion}\u001f${groupParts(event).join("\u001f")}`, "hex").slice(0, 32);
}
