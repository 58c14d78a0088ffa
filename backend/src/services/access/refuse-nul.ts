import { invalidField } from "@faultline/plugin";

/**
 * Refuses a request with a NUL in a text: SQL text ends at it, so that a query would fail instead of finding nothing.
 * Events are exempt, as we keep as much of them as we can.
 */
export function refuseNul(request: object): void {
  if (String("$typeName" in request && request.$typeName).startsWith("faultline.v1.Report")) return;
  for (const [name, value] of Object.entries(request)) {
    if (typeof value === "string" && value.includes("\0")) {
      const field = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      throw invalidField(field, "A text must not hold the character NUL.");
    }
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) refuseNul(value as object);
  }
}
