import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { ApiCall, Resource } from "../call.ts";
import { userShape } from "../shapes/user.ts";
import { orForUploads } from "../upload-token.ts";

/** Another Faultline recognises this one by this header. The body has no more than the original's. */
const headers = { "X-Faultline": "sentry-api" };

/** The caller, and the scopes of the token in the words of the original. Without a token: no user. */
export const readRoot: Resource = async (call) => {
  const version = "0"; // of the API
  if (call.token === undefined) return { status: 200, headers, body: { version, auth: null, user: null } };
  const known = call.core.accounts.getCurrentUser({}, call).then(async ({ user }) => ({
    scopes: await scopesOf(call),
    user: user ? userShape(user) : null,
  }));
  const { scopes, user } = await orForUploads<{ scopes: string[]; user: object | null }>(known, forUploads);
  return { status: 200, headers, body: { version, auth: { scopes }, user } };
};

/** As the original describes its tokens for builds: without a user. */
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
