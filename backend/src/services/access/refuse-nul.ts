import { invalidField } from "@faultline/plugin";

/**
 * Refuses a request with a NUL in a text: SQL text ends at it, so that a query would fail instead of finding nothing.
 * Events are exempt, as we keep as much of them as we can. `field`: its name, where `request` is the list it holds.
 */
export function refuseNul(request: object, field?: string): void {
  if (String("$typeName" in request && request.$typeName).startsWith("faultline.v1.Report")) return;
  for (const [name, value] of Object.entries(request)) {
    const named = field ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === "string" && value.includes("\0")) {
      throw invalidField(named, "A text must not contain the character NUL.");
    }
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      refuseNul(value as object, Array.isArray(value) ? named : undefined);
    }
  }
}
