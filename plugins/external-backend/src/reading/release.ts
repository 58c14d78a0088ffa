import { asObject, commitOf, type JsonField, readRelease } from "@faultline/sentry-event";
import { textOf } from "./fields.ts";

/**
 * The version of a release, which is sent as an object. The whole version, as `shortVersion` lacks the package's name.
 */
export function readReleaseVersion(sent: JsonField): string {
  // Not cut to its bound here: a version that is cut is another one, so readRelease judges its length.
  return readRelease({ release: textOf(asObject(sent)?.["version"], 250) });
}

/** The commit of a release: the newest one set for it, otherwise the one in its version. May be empty. */
export function readCommit(sent: JsonField): string {
  const id = textOf(asObject(asObject(sent)?.["lastCommit"])?.["id"], 64).toLowerCase();
  return /^[0-9a-f]{7,64}$/.test(id) ? id : commitOf(readReleaseVersion(sent));
}
