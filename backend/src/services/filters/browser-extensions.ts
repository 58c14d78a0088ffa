import type { ErrorEvent, GroupingFrame } from "@faultline/proto";

/** The addresses of extensions' code. */
const extensionAddress =
  /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|chrome|webkit-masked-url):|^https?:\/\/[^/]*kaspersky-labs\.com\//i;

/** Messages of extensions and their injected scripts whose frames name no extension. */
const knownMessages =
  /Extension context invalidated|Receiving end does not exist|can't access dead object|webkit-masked-url:|_gCrWeb|ZiteReader|atomicFindClose|conduitPage|fb_xd_fragment|top\.GLOBALS|originalCreateNotification|canvas\.contentDocument|MyApp_RemoveAllHighlights/i;

/** File names of frames that do not locate the code. */
const nowhere = new Set(["", "<anonymous>", "[native code]"]);

/** Whether a browser extension caused an event: by the frames or the message of an exception. */
export function isOfBrowserExtension({ platform, exceptions, frames, message }: ErrorEvent): boolean {
  if (platform !== "javascript") return false;
  return (
    isThrownByExtension(frames) ||
    knownMessages.test(message) ||
    exceptions.some((exception) => isThrownByExtension(exception.frames) || knownMessages.test(exception.value))
  );
}

/** The newest frame with an address decides: an extension also wraps functions of the page, which then throw. */
function isThrownByExtension(frames: readonly GroupingFrame[]): boolean {
  const thrower = frames.findLast(({ filename }) => !nowhere.has(filename));
  return thrower !== undefined && extensionAddress.test(thrower.filename);
}
