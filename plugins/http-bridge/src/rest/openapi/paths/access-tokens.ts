import { json, noContent, offsetPage } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage, query } from "../parameters.ts";
import { day, positive, ref, type Schema } from "../schema.ts";

const tokens = "/personal_access_tokens";
const reading = {
  more: "One of the caller's own.",
  needs: ["User", "read"],
  answers: { 200: json("The token.", ref("AccessToken")) },
} as const;
const revoking = {
  more: "One of the caller's own; administrators may revoke every token.",
  needs: ["User", "write"],
  answers: { 204: noContent },
} as const;
const fields: Readonly<Record<string, Schema>> = {
  expires_at: day(
    "The day at whose start the new token ends, at most a year away. Absent: a week from now. It is brought forward where the new token would last longer than the old one was made for; `expires_at` in the answer is what holds.",
  ),
};
const rotating = {
  more: "One of the caller's own. The new one has the same name and scopes; the old one is revoked.",
  needs: ["User", "write"],
  body: { fields },
  answers: { 200: json("The new token with its text.", ref("NewAccessToken")) },
} as const;

/** No operation makes a token from nothing: a person does that, signed in to the console. */
export const accessTokenPaths = resource("Personal access tokens", {
  [tokens]: {
    get: {
      id: "listAccessTokens",
      summary: "List personal access tokens",
      more: "The caller's own; administrators may ask for those of another user.",
      needs: ["User", "read"],
      query: [query("user_id", positive("Whose.")), page, perPage],
      answers: { 200: offsetPage("The tokens, the newest first.", "AccessToken") },
    },
  },
  [`${tokens}/self`]: {
    get: { id: "getOwnAccessToken", summary: "Read the token of this call", ...reading },
    delete: { id: "revokeOwnAccessToken", summary: "Revoke the token of this call", ...revoking },
  },
  [`${tokens}/self/rotate`]: {
    post: { id: "rotateOwnAccessToken", summary: "Replace the token of this call", ...rotating },
  },
  [`${tokens}/{token_id}`]: {
    get: { id: "getAccessToken", summary: "Read a personal access token", ...reading },
    delete: { id: "revokeAccessToken", summary: "Revoke a personal access token", ...revoking },
  },
  [`${tokens}/{token_id}/rotate`]: {
    post: { id: "rotateAccessToken", summary: "Replace a personal access token", ...rotating },
  },
});
