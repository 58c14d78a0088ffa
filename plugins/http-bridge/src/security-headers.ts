import { anyOrigin } from "./ingest/cors.ts";
import type { RawHeaders } from "./request-context.ts";

/**
 * The headers of every answer for browsers. Pages have a Content-Security-Policy of their own, and ingestion opens
 * itself to other origins. `baseUrl` is the address people use: with https, browsers use nothing else for a year.
 */
export function securityHeaders(baseUrl: string | undefined): {
  readonly all: RawHeaders;
  readonly ingestion: RawHeaders;
} {
  const all: readonly (readonly [name: string, value: string])[] = [
    // For responses that are not pages: they hold reports of applications, and nothing in them may run, load or be
    // framed.
    ["content-security-policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
    ["x-frame-options", "DENY"], // for browsers without frame-ancestors
    ["x-content-type-options", "nosniff"],
    // Nothing of an address, such as the token of an invitation, reaches another site. With no-referrer a browser sends
    // `Origin: null` with a plain form, which the console must refuse.
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

/** Headers about pages that people open. Answers to SDKs go without: all eight cost 5 % of the events a second. */
const aboutDocuments = new Set([
  "x-frame-options",
  "referrer-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
]);

/** Features that no page of ours needs from a browser. */
const unused = ["camera", "microphone", "geolocation", "display-capture", "payment", "usb", "serial", "hid", "midi"];
