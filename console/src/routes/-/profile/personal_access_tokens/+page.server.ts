import { oneOf } from "#lib/preferences/preferences.ts";
import { lastProject } from "#lib/server/last-project.ts";
import { action } from "#lib/server/action.ts";
import { sentrySlugs } from "#lib/projects/sentry-slugs.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import type { Actions, PageServerLoad } from "./$types";

const scopes = ["api", "read_api", "upload"] as const;

export const load: PageServerLoad = async ({ locals, url, cookies }) => {
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [{ accessTokens, nextPageToken }, project] = await Promise.all([
    locals.api.accounts.listAccessTokens({ pageSize: 50, pageToken }),
    exampleProject(locals.api, lastProject(cookies)),
  ]);
  const rotating = Number(url.searchParams.get("rotate") ?? 0);
  return { accessTokens, nextPageToken, rotating, project, origin: url.origin };
};

/** The project visited last, for an example that runs as it is; otherwise the first one. */
async function exampleProject(api: Api, path: string | undefined) {
  const { projects } = await api.projects.listProjects({ query: path ?? "", pageSize: 20 });
  return projects.find((one) => one.path === path) ?? projects[0];
}

/** The organization of that project, which a token names to Sentry's tools. Empty: there is no project. */
async function exampleOrganization(api: Api, path: string | undefined): Promise<string> {
  const project = await exampleProject(api, path);
  return project === undefined ? "" : sentrySlugs(project.path).organization;
}

/** A date field holds a day; the token works until the end of that day, UTC. */
function endOfDay(day: string): { expiresTime?: string } {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? { expiresTime: `${day}T23:59:59Z` } : {};
}

export const actions: Actions = {
  create: async ({ request, locals, cookies }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const scope = oneOf(scopes, form.get("scope"));
    const expires = String(form.get("expires") ?? "");
    return action(
      async () => {
        const { token, sentryToken, accessToken } = await locals.api.accounts.createAccessToken({
          name,
          scopes: [scope],
          organization: await exampleOrganization(locals.api, lastProject(cookies)),
          ...endOfDay(expires),
        });
        return { act: "create" as const, token, sentryToken, accessToken };
      },
      { act: "create" as const, name, scope, expires },
    );
  },
  rotate: async ({ request, locals, cookies }) => {
    const form = await request.formData();
    const tokenId = Number(form.get("token_id"));
    const expires = String(form.get("expires") ?? "");
    return action(
      async () => {
        const { token, sentryToken, accessToken } = await locals.api.accounts.rotateAccessToken({
          tokenId,
          organization: await exampleOrganization(locals.api, lastProject(cookies)),
          ...endOfDay(expires),
        });
        return { act: "rotate" as const, token, sentryToken, accessToken, rotated: tokenId };
      },
      { act: "rotate" as const },
    );
  },
  revoke: async ({ request, locals }) => {
    const tokenId = Number((await request.formData()).get("token_id"));
    return action(
      async () => {
        const { accessToken } = await locals.api.accounts.revokeAccessToken({ tokenId });
        return { act: "revoke" as const, revoked: accessToken?.name ?? "", accessToken };
      },
      { act: "revoke" as const },
    );
  },
};
