import { isAtOrAfter } from "./release-order.ts";

/** What decides about the events of a group that is discarded. */
export interface RunningDiscard {
  readonly endsAt: number | null;
  readonly endsAfter: number | null;
  /** Empty: no release ends it. */
  readonly endsWithRelease: string;
}

/** Whether a discard stops an event, or is over with it: then the event is stored, and so are all that follow. */
export function verdict(
  { endsAt, endsAfter, endsWithRelease }: RunningDiscard,
  { release, now, stopped }: { readonly release: string; readonly now: number; readonly stopped: number },
): "stopped" | "over" {
  if (endsAt !== null && now >= endsAt) return "over";
  if (endsAfter !== null && stopped >= endsAfter) return "over";
  if (endsWithRelease !== "" && release !== "" && isAtOrAfter(release, endsWithRelease)) return "over";
  return "stopped";
}
