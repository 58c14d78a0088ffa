import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { ApiCall, Resource } from "../call.ts";
import { userShape } from "../shapes/user.ts";
import { orForUploads } from "../upload-token.ts";

/** This header identifies Faultline to other installations. The body has only the original's fields. */
const headers = { "X-Faultline": "sentry-api" };

/** The caller, and the token's scopes in the original's words. Without a token there is no user. */
export const readRoot: Resource = async (call) => {
  const version = "0"; // the API version
  if (call.token === undefined) return { status: 200, headers, body: { version, auth: null, user: null } };
  const known = call.core.accounts.getCurrentUser({}, call).then(async ({ user }) => ({
    scopes: await scopesOf(call),
    user: user ? userShape(user) : null,
  }));
  const { scopes, user } = await orForUploads<{ scopes: string[]; user: object | null }>(known, forUploads);
  return { status: 200, headers, body: { version, auth: { scopes }, user } };
};

/** The original describes its build tokens like this: without a user. */
const forUploads = { scopes: ["org:ci"], user: null };

const reading = ["event:read", "org:read", "project:read"];

async function scopesOf(call: ApiCall): Promise<string[]> {
  const ours = await call.core.accounts.getAccessToken({}, call).then(
    ({ accessToken }) => accessToken?.scopes ?? [],
    (refusal: unknown) => {
      // A session is not an access token; it allows everything its user may do.
      if (refusal instanceof ServiceError && refusal.reason === ErrorReason.ACCESS_TOKEN_NOT_FOUND) return ["api"];
      throw refusal;
    },
  );
  return ours.includes("api") ? ["event:write", ...reading].toSorted() : reading;
}
