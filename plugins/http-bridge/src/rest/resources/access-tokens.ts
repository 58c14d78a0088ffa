import { create } from "@bufbuild/protobuf";
import { millisecondsOf } from "@faultline/plugin";
import {
  ErrorReason,
  GetAccessTokenRequestSchema,
  ListAccessTokensRequestSchema,
  RevokeAccessTokenRequestSchema,
  RotateAccessTokenRequestSchema,
  type AccessToken,
} from "@faultline/proto";
import { isoDay, isoTime } from "../iso-time.ts";
import { pageOf, pageRequest, setPageHeaders } from "../pages.ts";
import { dayParam, numberParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation, RestCall } from "../rest.ts";

// No token makes another one from nothing: whoever found it could outlive its end. A person makes them, signed in.

export const listAccessTokens: Operation = async ({ visit, call, params }) => {
  const page = pageOf(params);
  const userId = numberParam(params, "user_id") ?? 0;
  const request = create(ListAccessTokensRequestSchema, { userId, ...pageRequest(page) });
  const { accessTokens = [], totalSize = 0 } = await visit.host.core.accounts.listAccessTokens(request, call);
  setPageHeaders(visit, page, totalSize);
  const now = visit.host.clock.now();
  return { status: 200, body: accessTokens.map((token) => accessTokenBody(token as AccessToken, now)) };
};

/** A token by its id, or at `self` the one the call carries. */
export const getAccessToken: Operation = async (restCall) => {
  const token = await read(restCall, idOf(restCall));
  return { status: 200, body: accessTokenBody(token, restCall.visit.host.clock.now()) };
};

export const revokeAccessToken: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const tokenId = idOf(restCall) || (await read(restCall, 0)).tokenId;
  await visit.host.core.accounts.revokeAccessToken(create(RevokeAccessTokenRequestSchema, { tokenId }), call);
  return { status: 204 };
};

/** Answers 200, as the original does, with the new token. */
export const rotateAccessToken: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const expiresTime = dayParam(params, "expires_at");
  const request = create(RotateAccessTokenRequestSchema, {
    tokenId: idOf(restCall),
    ...(expiresTime && { expiresTime }),
  });
  const { accessToken, token } = await visit.host.core.accounts.rotateAccessToken(request, call);
  return { status: 200, body: { ...accessTokenBody(accessToken as AccessToken, visit.host.clock.now()), token } };
};

/** The id in the path; 0, which is the call's own token for the core, in routes with `self`. */
function idOf(restCall: RestCall): number {
  if (restCall.visit.path["token_id"] === undefined) return 0;
  return idInPath(restCall, "token_id", ErrorReason.ACCESS_TOKEN_NOT_FOUND);
}

async function read({ visit, call }: RestCall, tokenId: number): Promise<AccessToken> {
  const request = create(GetAccessTokenRequestSchema, { tokenId });
  const { accessToken } = await visit.host.core.accounts.getAccessToken(request, call);
  return accessToken as AccessToken; // the guarded core answers whole messages
}

function accessTokenBody(token: AccessToken, now: number): object {
  const isOver = token.expiresTime !== undefined && millisecondsOf(token.expiresTime) <= now;
  return {
    id: token.tokenId,
    name: token.name,
    revoked: token.revokedTime !== undefined,
    created_at: isoTime(token.createdTime),
    scopes: token.scopes,
    user_id: token.userId,
    last_used_at: isoTime(token.lastUsedTime),
    active: token.revokedTime === undefined && !isOver,
    expires_at: isoDay(token.expiresTime),
  };
}
