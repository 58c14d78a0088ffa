import { invalidField } from "@faultline/plugin";
import { DeprecationState } from "@faultline/proto";
import { externalSystemVersion } from "./notices.ts";
import { stateOf, type Platform } from "./state.ts";

const lastDeprecated = [21, 4, 1] as const;
const firstSupported = [21, 5, 0] as const;

/**
 * Judges the version of a self-hosted external system that is to receive the installation's own failures (specification
 * 9.1); undefined when the version is not known. Projects that read their errors from such a system are not affected.
 */
export function judgeExternalVersion(
  version: string | undefined,
  platform: Platform,
): { isSupported: boolean; notice: string } {
  const state = stateOf(externalSystemVersion, platform);
  if (version === undefined) return { isSupported: true, notice: noticeOfUnknown(state) };
  const parts = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?$/.exec(version.trim())?.slice(1);
  if (!parts) throw invalidField("version", "The version of the external system must look like 21.5.0.");
  const asked = parts.map((part) => Number(part ?? 0));
  if (!isBefore(asked, firstSupported) || state === DeprecationState.NOT_ANNOUNCED) {
    return { isSupported: true, notice: "" };
  }

  const named = asked.join(".");
  const needs = "send the errors of this installation to version 21.5.0 or later";
  if (state === DeprecationState.REMOVED) {
    return {
      isSupported: false,
      notice: `Version ${named} of the external system is not supported: platform release ${platform.release} can only ${needs}. Upgrade the external system.`,
    };
  }
  const standing = isBefore(lastDeprecated, asked)
    ? "is later than the deprecated versions (21.4.1 and earlier) but still too old for later releases"
    : `is deprecated since platform release ${externalSystemVersion.announcedIn}, like all versions up to 21.4.1`;
  return {
    isSupported: true,
    notice: `Version ${named} of the external system ${standing}: from platform release ${externalSystemVersion.removedIn} on, it is only possible to ${needs}. Upgrade the external system before then.`,
  };
}

/** A system that hides its version may be cloud-hosted, so it is not refused, but noted. */
function noticeOfUnknown(state: DeprecationState): string {
  if (state === DeprecationState.NOT_ANNOUNCED) return "";
  return `The version of the external system is unknown: it did not report one when it was asked. If you host it yourself, enter its version: platform release ${externalSystemVersion.removedIn} and later can only send the errors of this installation to version 21.5.0 or later.`;
}

/** Compares calendar versions component by component. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
