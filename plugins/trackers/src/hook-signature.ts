import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { webhookSignature } from "@faultline/plugin";
import type { Hook } from "./tracker-kind.ts";

/** The maximum age of a signed webhook, taken from the reference library of Standard Webhooks. */
const toleranceMs = 300_000;

/** Whether a header is `sha256=` and the hexadecimal HMAC of the body, the signature of GitHub and Jira. */
export const hasHexSignature = ({ headers, body }: Hook, header: string, secret: string): boolean =>
  isSame(headers[header] ?? "", `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);

/** Whether a header is the secret itself. */
export const hasSecret = ({ headers }: Hook, header: string, secret: string): boolean =>
  isSame(headers[header] ?? "", secret);

/** Whether a webhook was signed by Standard Webhooks 1.0.0 within the last five minutes. */
export function hasStandardSignature({ headers, body }: Hook, secret: string, now: number): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (id === "" || !(Math.abs(now - Number(timestamp) * 1000) <= toleranceMs)) return false;
  const expected = webhookSignature(secret, `${id}.${timestamp}.${body.toString()}`);
  return signatures
    .split(" ", 10)
    .map((signature) => isSame(signature, expected))
    .includes(true);
}

/** Compares in a time that depends on neither text; digests all have the same length. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
