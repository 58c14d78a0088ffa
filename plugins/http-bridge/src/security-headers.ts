import { anyOrigin } from "./ingest/cors.ts";
import type { RawHeaders } from "./request-context.ts";

/**
 * The headers of every answer for browsers. Pages set their own Content-Security-Policy, and ingestion opens itself to
 * other origins. `baseUrl` is the public address: with https, browsers use only https for a year.
 */
export function securityHeaders(baseUrl: string | undefined): {
  readonly all: RawHeaders;
  readonly ingestion: RawHeaders;
} {
  const all: readonly (readonly [name: string, value: string])[] = [
    // For responses that are not pages: they contain reports of applications, which must not run, load or be framed.
    ["content-security-policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
    ["x-frame-options", "DENY"], // for browsers without frame-ancestors
    ["x-content-type-options", "nosniff"],
    // Keeps addresses, which may contain the token of an invitation, from other sites. With no-referrer, browsers send
    // `Origin: null` with plain forms, which the console must refuse.
    ["referrer-policy", "same-origin"],
    ["cross-origin-opener-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
    ["permissions-policy", unused.map((feature) => `${feature}=()`).join(", ")],
    ["cache-control", "no-store"],
    ...(baseUrl?.startsWith("https:") === true ? [["strict-transport-security", "max-age=31536000"] as const] : []),
  ];
  const ofIngestion = all.filter(([name]) => !aboutDocuments.has(name));
  return { all: all.flat(), ingestion: [...ofIngestion, ...anyOrigin].flat() };
}

/** Headers for pages that people open. Answers to SDKs omit them: all eight cost 5 % of the events per second. */
const aboutDocuments = new Set([
  "x-frame-options",
  "referrer-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
]);

/** Browser features that none of our pages needs. */
const unused = ["camera", "microphone", "geolocation", "display-capture", "payment", "usb", "serial", "hid", "midi"];
