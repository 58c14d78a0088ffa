import { asObject, type JsonField, readRelease } from "@faultline/plugin/sentry-event";
import { textOf } from "./fields.ts";

/** The version of a release, which is sent as object; the whole version, as `shortVersion` lacks the package's name. */
export function readReleaseVersion(sent: JsonField): string {
  // Bounded where it is read: a release that is cut is another one.
  return readRelease({ release: textOf(asObject(sent)?.["version"], 250) });
}
