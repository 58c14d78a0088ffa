/** The reasons of outcome.proto for items that Faultline left aside. */

/** Why an item that was sent is not stored, and the remedy. */
export const leftAside: Readonly<Record<string, { readonly reason: string; readonly advice: string }>> = {
  not_kept: {
    reason: "not kept",
    advice: "Faultline keeps errors, sessions and user feedback. Turn the rest off in the SDK to save traffic.",
  },
  extra: {
    reason: "too much in one envelope",
    advice:
      "Faultline reads the first event, the first 100 session items and the first 300 session buckets of an envelope, 100 buckets of an item, and 100 entries of a report. Update the SDK.",
  },
  too_many: {
    reason: "too much feedback",
    advice:
      "Faultline keeps the first 20 feedback entries of an event and the newest 10,000 of a project. Look for a form that is submitted repeatedly.",
  },
  no_text: {
    reason: "feedback without text",
    advice: "The user wrote nothing. Make the text required in the form.",
  },
  no_release: {
    reason: "sessions without a release",
    advice: "Sessions are counted by release. Set release in the SDK's options, or turn its sessions off.",
  },
  no_start: {
    reason: "sessions without a start",
    advice: "The session does not say when it started. Update the SDK.",
  },
  too_old: {
    reason: "older than five days",
    advice:
      "The session started more than five days before it arrived. Look for devices that were offline for a long time.",
  },
  in_future: {
    reason: "starts in the future",
    advice: "The session starts more than a minute after it arrived. Correct the sender's clock.",
  },
  no_counts: {
    reason: "sessions without counts",
    advice: "The SDK counted no sessions, or sent counts that are not numbers. Update the SDK.",
  },
  minidump: {
    reason: "dump of a native program",
    advice: "Faultline does not read minidumps. Use an SDK that sends events for the program.",
  },
  other_report: {
    reason: "other browser report",
    advice:
      "Faultline reads only Content Security Policy reports. Send the site's other reports elsewhere, or turn them off.",
  },
  unreadable: {
    reason: "could not be read",
    advice: "The entry is not in the format of Sentry SDKs. Update the SDK.",
  },
};
