import { millisecondsOf } from "@faultline/plugin";
import {
  bodyOf,
  day,
  dayParam,
  fieldsWithin,
  flag,
  idInPath,
  isoDay,
  noContent,
  numbered,
  numberedPage,
  numberParam,
  operation,
  orNull,
  pageOf,
  present,
  shape,
  single,
  text,
  type Fields,
} from "@faultline/plugin/rest";
import { AccessTokenSchema, AccountService, ErrorReason, type AccessToken } from "@faultline/proto";

// No operation creates an additional token: it could outlive the stolen token that created it. People create tokens
// while signed in.

const tag = "Personal access tokens";
const { method } = AccountService;

/** A token at the time of the call. */
interface TokenNow {
  readonly token: AccessToken;
  readonly now: number;
}

const { fields } = bodyOf(
  AccessTokenSchema,
  {
    tokenId: "id",
    scopes: { schema: { enum: ["api", "read_api", "upload"] } },
    expiresTime: false,
    lastUsedTime: null,
    revokedTime: false,
  },
  {
    further: {
      revoked: [flag("It was revoked."), ({ revokedTime }) => revokedTime !== undefined],
      expires_at: [
        orNull(day("The day at whose start it ends; null: it does not.")),
        ({ expiresTime }) => isoDay(expiresTime),
      ],
    },
  },
);

const tokenFields: Fields<TokenNow> = {
  ...fieldsWithin(fields, ({ token }: TokenNow) => token),
  active: [
    flag("It is neither revoked nor expired."),
    ({ token: { revokedTime, expiresTime }, now }) =>
      revokedTime === undefined && (expiresTime === undefined || millisecondsOf(expiresTime) > now),
  ],
};

const accessToken = shape("AccessToken", "A personal access token, without its text.", tokenFields);

const newAccessToken = shape<TokenNow & { readonly text: string }>(
  "NewAccessToken",
  "A new personal access token, whose text is returned only here.",
  { ...tokenFields, token: [text("The value of the header `PRIVATE-TOKEN`. A secret."), (made) => made.text] },
);

const tokenId = idInPath("The personal access token.", ErrorReason.ACCESS_TOKEN_NOT_FOUND);

/** A token by its id. In a route with `self` the id is 0, which the core reads as the token of the call. */
const path = {
  token_id: {
    schema: tokenId.schema,
    read: (value: unknown, name: string) => (value === undefined ? 0 : tokenId.read(value, name)),
  },
};

export const listAccessTokens = operation(method.listAccessTokens, "GET /personal_access_tokens", {
  tag,
  summary: "List personal access tokens",
  more: "The caller's own; administrators may ask for those of another user.",
  params: { user_id: numberParam("Whose."), ...numbered },
  answer: numberedPage("The tokens, the newest first.", accessToken),
  async run({ host, params, invoke }) {
    const { accessTokens, totalSize } = await invoke({ userId: params.user_id ?? 0, ...pageOf(params) });
    const now = host.clock.now();
    return { items: accessTokens.map((token) => ({ token, now })), totalSize };
  },
});

interface Words {
  readonly id: string;
  readonly summary: string;
}

function reading(route: `GET /${string}`, words: Words) {
  return operation(method.getAccessToken, route, {
    ...words,
    tag,
    more: "One of the caller's own.",
    path,
    answer: single(200, "The token.", accessToken),
    async run({ host, path: named, invoke }) {
      return { token: present((await invoke({ tokenId: named.token_id })).accessToken), now: host.clock.now() };
    },
  });
}

function revoking(route: `DELETE /${string}`, words: Words) {
  return operation(method.revokeAccessToken, route, {
    ...words,
    tag,
    more: "One of the caller's own; administrators may revoke every token.",
    path,
    answer: noContent,
    async run({ host, call, path: named, invoke }) {
      const own = () => host.core.accounts.getAccessToken({ tokenId: 0 }, call);
      return invoke({ tokenId: named.token_id || present((await own()).accessToken).tokenId });
    },
  });
}

/** Answers 200 with the new token, like the original. */
function rotating(route: `POST /${string}`, words: Words) {
  return operation(method.rotateAccessToken, route, {
    ...words,
    tag,
    more: "One of the caller's own. The new one has the same name and scopes; the old one is revoked.",
    path,
    params: {
      expires_at: dayParam(
        "The day at whose start the new token ends, at most a year away. Absent: a week from now. It is brought forward where the new token would last longer than the old one was made for; `expires_at` in the answer is what holds.",
      ),
    },
    answer: single(200, "The new token with its text.", newAccessToken),
    async run({ host, path: named, params, invoke }) {
      const { expires_at: expiresTime } = params;
      const made = await invoke({ tokenId: named.token_id, ...(expiresTime && { expiresTime }) });
      return { token: present(made.accessToken), text: made.token, now: host.clock.now() };
    },
  });
}

export const getOwnAccessToken = reading("GET /personal_access_tokens/self", {
  id: "getOwnAccessToken",
  summary: "Read the token of this call",
});
export const getAccessToken = reading("GET /personal_access_tokens/:token_id", {
  id: "getAccessToken",
  summary: "Read a personal access token",
});
export const revokeOwnAccessToken = revoking("DELETE /personal_access_tokens/self", {
  id: "revokeOwnAccessToken",
  summary: "Revoke the token of this call",
});
export const revokeAccessToken = revoking("DELETE /personal_access_tokens/:token_id", {
  id: "revokeAccessToken",
  summary: "Revoke a personal access token",
});
export const rotateOwnAccessToken = rotating("POST /personal_access_tokens/self/rotate", {
  id: "rotateOwnAccessToken",
  summary: "Replace the token of this call",
});
export const rotateAccessToken = rotating("POST /personal_access_tokens/:token_id/rotate", {
  id: "rotateAccessToken",
  summary: "Replace a personal access token",
});
