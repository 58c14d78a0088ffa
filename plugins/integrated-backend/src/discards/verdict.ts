import { isAtOrAfter } from "@faultline/plugin/search";

/** The fields of an active discard that decide about events. */
export interface RunningDiscard {
  readonly endsAt: number | null;
  readonly endsAfter: number | null;
  /** Empty: no release ends it. */
  readonly endsWithRelease: string;
}

/** Whether a discard stops an event, or ends with it: then this event and all later ones are stored. */
export function verdict(
  { endsAt, endsAfter, endsWithRelease }: RunningDiscard,
  { release, now, stopped }: { readonly release: string; readonly now: number; readonly stopped: number },
): "stopped" | "over" {
  if (endsAt !== null && now >= endsAt) return "over";
  if (endsAfter !== null && stopped >= endsAfter) return "over";
  if (endsWithRelease !== "" && release !== "" && isAtOrAfter(release, endsWithRelease)) return "over";
  return "stopped";
}
