import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { webhookSignature } from "@faultline/plugin";
import type { Hook } from "./tracker-kind.ts";

/** How old a signed webhook may be, as the reference library of Standard Webhooks has it. */
const toleranceMs = 300_000;

/** Whether a header is `sha256=` and the HMAC of the body in hexadecimal digits, as GitHub and Jira sign. */
export const hasHexSignature = ({ headers, body }: Hook, header: string, secret: string): boolean =>
  isSame(headers[header] ?? "", `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);

/** Whether a header is the secret itself. */
export const hasSecret = ({ headers }: Hook, header: string, secret: string): boolean =>
  isSame(headers[header] ?? "", secret);

/** Whether it is signed by Standard Webhooks 1.0.0, within five minutes. */
export function hasStandardSignature({ headers, body }: Hook, secret: string, now: number): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (id === "" || !(Math.abs(now - Number(timestamp) * 1000) <= toleranceMs)) return false;
  const expected = webhookSignature(secret, `${id}.${timestamp}.${body.toString()}`);
  return signatures
    .split(" ", 10)
    .map((signature) => isSame(signature, expected))
    .includes(true);
}

/** In a time that depends on neither text; digests have one length. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
