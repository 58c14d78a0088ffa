import type { CreateDeletionRequestJson } from "@faultline/proto";
import { statusTabs } from "#lib/errors/list-choices.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import type { DeletionTarget } from "#lib/navigation/route.ts";

const tabs = ["unresolved", "ignored", "resolved", "all"] as const;

/** The errors that an address or a form asks to delete. */
export function readTarget(given: { get(name: string): unknown }): DeletionTarget {
  const text = (name: string) => String(given.get(name) ?? "").trim();
  const errors = text("errors")
    .split(",")
    .filter((id) => id !== "");
  return { errors, q: text("q"), status: oneOf(tabs, text("status")) };
}

/** A field that cannot be read as it was typed. */
export interface Mistyped {
  readonly field: "expected_count" | "until" | "after" | "release";
  readonly message: string;
}

/** The request that a form asks for. */
export function readDeletionForm(form: FormData): Omit<CreateDeletionRequestJson, "projectId"> | Mistyped {
  const target = readTarget(form);
  const discard = readDiscard(form);
  if (discard !== undefined && "message" in discard) return discard;
  const rest = { withoutUndo: form.get("undo") === "no", ...(discard && { discard }) };
  if (target.errors.length > 0) return { errors: { errorIds: [...target.errors] }, ...rest };
  const expectedCount = wholeNumber(form.get("expected_count"));
  if (expectedCount === undefined) {
    return { field: "expected_count", message: "Enter how many errors you expect to delete, such as 120." };
  }
  return { matching: { query: target.q, status: statusTabs[target.status], expectedCount }, ...rest };
}

function readDiscard(form: FormData): NonNullable<CreateDeletionRequestJson["discard"]> | Mistyped | undefined {
  switch (form.get("later")) {
    case "discard":
      return {};
    case "until": {
      const at = Date.parse(`${String(form.get("until") ?? "")}T00:00Z`);
      if (Number.isNaN(at)) return { field: "until", message: "Choose the day on which the discard ends." };
      return { time: new Date(at).toISOString() };
    }
    case "after": {
      const eventCount = wholeNumber(form.get("after"));
      return eventCount ? { eventCount } : { field: "after", message: "Enter a number of events, 1 or more." };
    }
    case "release": {
      const release = String(form.get("release") ?? "").trim();
      return release ? { release } : { field: "release", message: "Name the release, such as web@2.4.1." };
    }
    default:
      return undefined;
  }
}

function wholeNumber(value: FormDataEntryValue | null): number | undefined {
  const text = String(value ?? "").replace(/[,\s]/g, "");
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
