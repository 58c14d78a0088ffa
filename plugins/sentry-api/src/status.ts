import { invalidField } from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

/** Words that set a status. A new event reopens a resolved error, so "in the next release" has the same effect here. */
const settable = new Map([
  ["unresolved", ErrorStatus.UNRESOLVED],
  ["resolved", ErrorStatus.RESOLVED],
  ["resolvedInNextRelease", ErrorStatus.RESOLVED],
  ["ignored", ErrorStatus.IGNORED],
  ["archived", ErrorStatus.IGNORED],
  ["muted", ErrorStatus.IGNORED],
]);

/** Known fields of a body. Clients also send `hasSeen`, a mark for the sender that no answer here shows. */
const understood = new Set(["status", "statusDetails", "hasSeen"]);

/** The status in a body. Refuses any other change, because it would have no effect. */
export function statusOf({ body }: ApiCall): ErrorStatus {
  const { status, statusDetails } = body;
  const wanted = typeof status === "string" ? settable.get(status) : undefined;
  if (wanted === undefined) {
    throw invalidField(
      "status",
      `Only the status of an issue can be changed. Give one of ${[...settable.keys()].join(", ")}.`,
    );
  }
  const others = Object.keys(body).filter((name) => !understood.has(name));
  if (others.length > 0) {
    const names = others
      .map((name) => name.slice(0, 64))
      .slice(0, 5)
      .join(", ");
    const sentence = `Only the status of an issue can be changed, so nothing was. Leave out what cannot: ${names}.`;
    throw invalidField(others[0] ?? "", sentence);
  }
  const conditions = Object.keys(typeof statusDetails === "object" && statusDetails !== null ? statusDetails : {});
  if (conditions.some((name) => name !== "inNextRelease")) {
    throw invalidField("statusDetails", "Conditions of a status are not supported. Leave statusDetails out.");
  }
  return wanted;
}

/** The original's word for a status. */
export function statusWord(status: ErrorStatus): string {
  if (status === ErrorStatus.RESOLVED) return "resolved";
  return status === ErrorStatus.IGNORED ? "ignored" : "unresolved";
}
