import { invalidField } from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

/** Words that set a status. A new event reopens a resolved error, so "in the next release" means the same here. */
const settable = new Map([
  ["unresolved", ErrorStatus.UNRESOLVED],
  ["resolved", ErrorStatus.RESOLVED],
  ["resolvedInNextRelease", ErrorStatus.RESOLVED],
  ["ignored", ErrorStatus.IGNORED],
  ["archived", ErrorStatus.IGNORED],
  ["muted", ErrorStatus.IGNORED],
]);

/** The status in a body. Other fields are ignored, but conditions that could not be kept are refused. */
export function statusOf({ body }: ApiCall): ErrorStatus {
  const { status, statusDetails } = body;
  const wanted = typeof status === "string" ? settable.get(status) : undefined;
  if (wanted === undefined) {
    throw invalidField(
      "status",
      `Only the status of an issue can be changed. Give one of ${[...settable.keys()].join(", ")}.`,
    );
  }
  const conditions = Object.keys(typeof statusDetails === "object" && statusDetails !== null ? statusDetails : {});
  if (conditions.some((name) => name !== "inNextRelease")) {
    throw invalidField("statusDetails", "Conditions of a status are not supported. Leave statusDetails out.");
  }
  return wanted;
}

/** A status in the original's word. */
export function statusWord(status: ErrorStatus): string {
  if (status === ErrorStatus.RESOLVED) return "resolved";
  return status === ErrorStatus.IGNORED ? "ignored" : "unresolved";
}
