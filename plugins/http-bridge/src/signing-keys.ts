import { readOnly } from "./read-only-route.ts";
import { sendJson } from "./request-context.ts";

/**
 * The keys that tokens for other systems are signed with, as a JWK Set (RFC 7517, section 5). This service signs none, so
 * the set is empty; the address exists because /-/jwks points to it (specification 9.3).
 */
export const signingKeys = readOnly("/oauth/discovery/keys", async ({ response }) => {
  response.setHeader("cache-control", "public, max-age=3600");
  sendJson(response, 200, { keys: [] });
});
