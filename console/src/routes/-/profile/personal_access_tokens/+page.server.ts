import { fail } from "@sveltejs/kit";
import { oneOf } from "#lib/preferences.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";

const scopes = ["api", "read_api"] as const;

export const load: PageServerLoad = async ({ locals, url }) => {
  const pageToken = url.searchParams.get("cursor") ?? "";
  const { accessTokens, nextPageToken } = await locals.api.account.tokens({ pageSize: 50, pageToken });
  return { accessTokens, nextPageToken, origin: url.origin };
};

export const actions: Actions = {
  create: async ({ request, locals }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const scope = oneOf(scopes, form.get("scope"));
    const expires = String(form.get("expires") ?? "");
    try {
      const { token } = await locals.api.account.createToken({
        name,
        scopes: [scope],
        // A date field holds a day; the token works until the end of that day, UTC.
        ...(/^\d{4}-\d\d-\d\d$/.test(expires) ? { expiresTime: `${expires}T23:59:59Z` } : {}),
      });
      return { act: "create" as const, token };
    } catch (error) {
      const { status, message, field } = refusalOfTrpc(error);
      if (status >= 500) throw error;
      return fail(status, { act: "create" as const, name, scope, expires, message, field });
    }
  },
  revoke: async ({ request, locals }) => {
    const tokenId = Number((await request.formData()).get("token_id"));
    try {
      const { accessToken } = await locals.api.account.revokeToken({ tokenId });
      return { act: "revoke" as const, revoked: accessToken?.name ?? "" };
    } catch (error) {
      const { status, message } = refusalOfTrpc(error);
      if (status >= 500) throw error;
      return fail(status, { act: "revoke" as const, message });
    }
  },
};
