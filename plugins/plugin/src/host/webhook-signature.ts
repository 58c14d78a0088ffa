import { createHmac } from "node:crypto";

/** The signature of Standard Webhooks: `v1,` and HMAC-SHA256 in base64. The key is `whsec_` and base64. */
export function webhookSignature(key: string, signed: string): string {
  const bytes = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", bytes).update(signed).digest("base64")}`;
}
