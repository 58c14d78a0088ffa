import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** Query parameters of a call. A list repeats its parameter; undefined leaves it out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The URL of a call to an external system: each path segment is encoded, doubled slashes are collapsed. */
export function addressOf(apiUrl: string, path: readonly string[], query: Query = {}): string {
  if (path.some((part) => /^\.{0,2}$/.test(part))) {
    // A segment of dots would lead elsewhere, an empty one would be collapsed.
    throw new ServiceError(
      ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE,
      "The linked external project has no usable name. A maintainer can select it again in Settings > Monitor > Error Tracking.",
    );
  }
  const base = apiUrl.replace(/(?<!:)\/{2,}/g, "/").replace(/\/$/, "");
  const parts = path.map((part) => `${encodeURIComponent(part.toWellFormed())}/`).join("");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  return `${base}/api/0/${parts}${parameters.size > 0 ? `?${parameters}` : ""}`;
}
